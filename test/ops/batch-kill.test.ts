/** Real processes, killed in the middle of batches that change schema.yaml together with rows. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createSchema } from '../../src/ops/create-schema.js';
import { caller, ScopeStore } from './scope-store.js';

const child = fileURLToPath(new URL('../helpers/batch-child.ts', import.meta.url));

it('a killed process leaves the schema and the rows of the same batch', async () => {
  const first = new ScopeStore();
  const { directory } = first;
  await createSchema(first, { table: 'notes', scope: 'user', fields: [] }, caller);
  await first.close();
  for (const milliseconds of [3, 11, 17, 29]) {
    const running = spawn(process.execPath, ['--import', 'tsx', child, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(running, 'exit');
    await once(running.stdout, 'data');
    await delay(milliseconds);
    running.kill('SIGKILL');
    await exited;
    const store = new ScopeStore({ directory });
    const changes = await store.schemaEvents('notes');
    expect(store.read('user', 'notes', 'schema.yaml')).toBe(changes.at(-1)?.after);
    const last = store.registry.resolve('notes').open().rows.count() - 1;
    expect([changes.length, changes.at(-1)?.origin]).toEqual([last + 2, 'test']);
    expect(store.registry.resolve('notes').schema.fields[0]?.name).toBe(`f${last}`);
    const left = readdirSync(store.path('user', 'notes')).filter((name) => !name.startsWith('notes.db'));
    expect(left).toEqual(['schema.yaml']);
    await store.close();
  }
  await new ScopeStore({ directory }).dispose();
}, 60_000);
