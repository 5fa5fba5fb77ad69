/** A plugin in a worker whose newer version fails after one of its views was published. */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Caller } from '../../../src/events/types.js';
import { callTool } from '../../../src/mcp/call.js';
import { Catalogue } from '../../../src/mcp/catalogue.js';
import { Services } from '../../../src/mcp/contract.js';
import { createLogger } from '../../../src/mcp/log.js';
import { PluginHost } from '../../../src/mcp/plugins/plugin-host.js';
import type { PluginStore } from '../../../src/mcp/plugins/plugin-store.js';
import { RemotePlugin } from '../../../src/mcp/plugins/remote/remote-plugin.js';
import { openPolicy } from '../../../src/mcp/publication.js';
import { newDir, removeDir } from '../../helpers/temp-dir.js';

const surface = new URL('../../../src/plugin.ts', import.meta.url).href;
let directory: string;
let plugin: RemotePlugin;
let catalogue: Catalogue;

/** Two views; the tool of the first one says its version once the file `go` is there. */
function write(version: string): void {
  const text = `import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Contract, Plugin, Projection, ServiceKey, z } from '${surface}';
const key = new ServiceKey('test/key');
const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const operation = (id, name) => Contract.operation(id, 1, { payload: z.object({}), success: z.string() })
  .annotate(Projection.Annotation, { name, title: name, description: '${version}', ...hints, output: 'json' });
export default Plugin.make({ name: 'test', version: '${version}', apply: async (scope) => {
  scope.provide(key, {});
  await Projection.offer('test/first', [Projection.operation(key, operation('test/Say', 'say'), async () => {
    while (!existsSync('${directory}/go')) await setTimeout(5);
    return '${version}';
  })]);
  await Projection.offer('test/second', [Projection.operation(key, operation('test/More', 'more'), () => '${version}')]);
} });
`;
  writeFileSync(join(directory, 'plugin.mjs'), text);
}

const log = createLogger({ level: 'error', colour: false, write: () => undefined });
const caller: Caller = { actor: 'test', origin: { tool: 'test', session: 'test' } };

beforeEach(async () => {
  directory = newDir();
  write('v1');
  catalogue = new Catalogue(new Services(), log);
  plugin = await RemotePlugin.start({
    start: { module: pathToFileURL(join(directory, 'plugin.mjs')).href, logLevel: 'error' },
    log,
    // No method of it is called here.
    store: Object.create(null) as PluginStore,
    host: new PluginHost(catalogue),
    memoryMb: 64,
    onGivenUp: () => undefined,
  });
});

afterEach(async () => {
  await plugin.stop();
  removeDir(directory);
});

async function say(): Promise<string> {
  const request = { name: 'say', arguments: {}, caller, signal: new AbortController().signal };
  const [block] = (await callTool(catalogue, request)).content;
  return block?.type === 'text' ? block.text : '';
}

test('calls that the newer version admitted before it failed end with it, later ones go to the older', async () => {
  write('v2');
  const admitted: Promise<string>[] = [];
  catalogue.governBy({
    ...openPolicy,
    record: async ({ revision: { view } }) => {
      if (view !== 'test/second') return;
      // Calls come in between.
      await delay(100);
      throw new Error('it cannot be recorded');
    },
    published: ({ revision: { view, after } }) => {
      if (view === 'test/first' && after[0]?.description === 'v2') setImmediate(() => admitted.push(say()));
    },
  });
  await expect(plugin.reload()).rejects.toThrow('it cannot be recorded');
  admitted.push(say());
  await delay(100);
  expect(existsSync(join(directory, 'go'))).toBe(false);
  writeFileSync(join(directory, 'go'), '');
  expect(await Promise.all(admitted)).toEqual(['{"value":"v2"}', '{"value":"v1"}']);
}, 20_000);
