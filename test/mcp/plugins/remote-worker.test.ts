/** A worker thread with a plugin's module, without a server around it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../../src/events/types.js';
import { callTool } from '../../../src/mcp/call.js';
import { Catalogue } from '../../../src/mcp/catalogue.js';
import { Services } from '../../../src/mcp/contract.js';
import { createLogger } from '../../../src/mcp/log.js';
import type { PluginStore } from '../../../src/mcp/plugins/plugin-store.js';
import { facadeOf } from '../../../src/mcp/plugins/remote/facade.js';
import { RemoteWorker } from '../../../src/mcp/plugins/remote/remote-worker.js';
import { newDir, removeDir } from '../../helpers/temp-dir.js';

// From source: the name of the package stands for what is built.
const surface = new URL('../../../src/plugin.ts', import.meta.url).href;
const plugin = `import { Contract, Plugin, Projection, ServiceKey, z } from '${surface}';
const key = new ServiceKey('test/key');
const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const operation = (id, name) => Contract.operation(id, 1, { payload: z.object({}), success: z.string() })
  .annotate(Projection.Annotation, { name, title: name, description: 'A test.', ...hints, output: 'json' });
export default Plugin.make({ name: 'test', version: '1', apply: async (scope) => {
  scope.provide(key, {});
  await Projection.offer('test/view', [
    Projection.operation(key, operation('test/Say', 'say'), () => 'said'),
    Projection.operation(key, operation('test/Busy', 'busy'), () => {
      for (const end = performance.now() + 3_000; performance.now() < end; );
      return 'done';
    }),
    Projection.operation(key, operation('test/Loop', 'loop'), () => { for (;;); }),
    Projection.operation(key, operation('test/Hang', 'hang'), () => new Promise(() => setInterval(() => undefined, 50))),
  ]);
} });
`;

const log = createLogger({ level: 'error', colour: false, write: () => undefined });
const caller: Caller = { actor: 'test', origin: { tool: 'test', session: 'test' } };
// No method of it is called here.
const store = Object.create(null) as PluginStore;

let directory: string;
let worker: RemoteWorker;

beforeEach(() => {
  directory = newDir();
  const file = join(directory, 'plugin.mjs');
  writeFileSync(file, plugin);
  const begin = { module: pathToFileURL(file).href, logLevel: 'error' as const };
  worker = new RemoteWorker({ start: begin, log, store, memoryMb: 64 });
});

afterEach(async () => {
  await worker.stop();
  removeDir(directory);
});

const call = (tool: string) => worker.call(tool, {}, caller, () => undefined);

test('a call to a worker that has ended fails at once', async () => {
  await worker.description;
  expect(await call('say')).toEqual({ text: '{"value":"said"}', isError: false });
  await worker.stop();
  await expect(call('say')).rejects.toThrow('the worker of the plugin ended');
});

test('a retired worker ends although what a cancelled call waits for never comes', async () => {
  const { views } = await worker.description;
  const catalogue = new Catalogue(new Services(), log);
  for (const view of views)
    await catalogue.offer(
      view.name,
      facadeOf(view, () => Promise.resolve(worker)),
    );
  const cancel = new AbortController();
  const hanging = callTool(catalogue, { name: 'hang', arguments: {}, caller, signal: cancel.signal });
  await call('say');
  cancel.abort(new Error('cancelled'));
  await expect(hanging).rejects.toThrow();
  worker.retire();
  expect(await worker.ended).toBe('a newer version took its place');
}, 20_000);

describe('a worker whose calls wait', () => {
  const done = { text: '{"value":"done"}', isError: false };

  test('is not ended while it answers, however slowly', async () => {
    await worker.description;
    expect(await Promise.all([call('busy'), call('busy')])).toEqual([done, done]);
    expect(worker.isAlive).toBe(true);
  }, 30_000);

  test('is not blamed for the time in which the server itself stood still', async () => {
    await worker.description;
    const hanging = call('hang').catch(() => 'lost');
    await call('say');
    // As the work of somebody else does, or a machine that was suspended.
    for (const end = performance.now() + 6_000; performance.now() < end; );
    await delay(1_500);
    expect(worker.isAlive).toBe(true);
    expect(await call('say')).toMatchObject({ isError: false });
    await worker.stop();
    expect(await hanging).toBe('lost');
  }, 30_000);

  test('is ended when it leaves five seconds of pings unanswered', async () => {
    await worker.description;
    const started = performance.now();
    await expect(call('loop')).rejects.toThrow('it gave no sign of life');
    expect(performance.now() - started).toBeGreaterThan(5_000);
    expect(performance.now() - started).toBeLessThan(8_000);
  }, 30_000);
});
