/** The types that a plugin's author is given, checked as an author's own compiler checks them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { tempDir } from '../helpers/temp-dir.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const good = `import { Contract, Plugin, Projection, Store, z } from 'mini-app-mcp/plugin';
const count = Contract.operation('shop/Count', 1, { payload: z.object({ table: z.string() }), success: z.number() })
  .annotate(Projection.Annotation, { name: 'count', title: 'Count', description: 'Counts.', readOnlyHint: true,
    destructiveHint: false, idempotentHint: true, openWorldHint: false, output: 'json' });
export const binding = Projection.operation(Store, count, async (store, { table }, context) =>
  (await store.list({ table }, context)).length);
export default Plugin.make({ name: 'count', inject: [Store], apply: () => Projection.offer('shop/count', [binding]) });
`;

const bad = `${good}
// @ts-expect-error a string is no number
Projection.operation(Store, count, () => 'many');
// @ts-expect-error the payload has no such member
Projection.operation(Store, count, (_store, payload) => payload.of);
// @ts-expect-error the store has no such method
Projection.operation(Store, count, (store) => store.count());
// @ts-expect-error a hint is missing
count.annotate(Projection.Annotation, { name: 'c', title: 'C', description: 'C', output: 'json' });
// @ts-expect-error rows are reached through the command
Projection.operation(Store, count, (store, _payload, context) => store.atomically({}, context, (command) => command.sql('x')));
`;

function compile(text: string): string {
  const directory = tempDir();
  mkdirSync(join(directory, 'node_modules'));
  symlinkSync(root, join(directory, 'node_modules/mini-app-mcp'), 'dir');
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  writeFileSync(join(directory, 'plugin.ts'), text);
  const options = ['--noEmit', '--strict', '--module', 'node16', '--target', 'es2022', '--skipLibCheck', 'false'];
  try {
    const args = [join(root, 'node_modules/typescript/bin/tsc'), ...options, 'plugin.ts'];
    return execFileSync(process.execPath, args, { cwd: directory, encoding: 'utf8' });
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
  }
}

test('let through a plugin that fits its contract', () => {
  expect(compile(good)).toBe('');
});

test('refuse what does not fit', () => {
  expect(compile(bad)).toBe('');
});
