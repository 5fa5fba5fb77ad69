import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { WorkerThread } from '../../src/ops/worker-thread.js';
import type { AggregateJob, AggregateRow } from '../../src/projections/rows/run-aggregate.js';
import { tempDir } from '../helpers/temp-dir.js';
import { eventually, useTempLog } from '../helpers/temp-log.js';

const context = useTempLog();
let worker: WorkerThread<AggregateJob, AggregateRow[]> | null = null;

function started(idleMs?: number) {
  worker = new WorkerThread<AggregateJob, AggregateRow[]>('aggregate-worker', idleMs);
  return worker;
}

afterEach(async () => {
  await worker?.close();
});

const job = (path: string): AggregateJob => ({ paths: [path], filter: null, aggregator: { kind: 'count' } });

test('jobs are answered, and a worker without work ends and is started again', async () => {
  context.log.commit([{ id: 'a', data: {} }]);
  const thread = started(20);
  expect(thread.isRunning).toBe(false);
  const answers = await Promise.all([1, 2, 3].map(() => thread.run(job(context.log.path))));
  expect(answers.map(([row]) => row?.rows)).toEqual([1n, 1n, 1n]);
  await eventually(() => !thread.isRunning);
  expect(await thread.run(job(context.log.path))).toEqual([{ rows: 1n, value: 1n }]);
});

test('errors keep their code', async () => {
  const missing = join(tempDir(), 'missing.db');
  await expect(started().run(job(missing))).rejects.toMatchObject({
    name: 'StoreError',
    code: 'STORAGE_ERROR',
    fields: { detail: 'the database file cannot be opened' },
    message: 'storage error: the database file cannot be opened',
  });
});

test('a closed worker fails the jobs under way and takes new ones', async () => {
  const thread = started();
  const lost = expect(thread.run(job(context.log.path))).rejects.toThrow('closed');
  await thread.close();
  await lost;
  expect(await thread.run(job(context.log.path))).toEqual([{ rows: 0n, value: 0n }]);
});
