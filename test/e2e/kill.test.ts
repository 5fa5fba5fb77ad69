/** A server is killed at any moment under load. What it acknowledged is there, once; what it did not can be sent again. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { tempDir } from '../helpers/temp-dir.js';
import { expectWhole, query } from './proof.js';
import { Server, writeTable } from './server.js';

const rounds = Number(process.env.MINI_APP_KILL_ROUNDS ?? 50);
const callers = 6;

interface Write {
  readonly key: string;
  readonly tool: 'create' | 'update' | 'delete';
  readonly args: Record<string, unknown>;
}

/** One caller: the write it has not been answered to, and what it was told. */
class Caller {
  readonly acknowledged: string[] = [];
  #pending: Write | null = null;
  #sent = 0;
  #row: string | null = null;
  /** What `points` of its row was when it was last told. */
  points = 0;

  constructor(readonly name: string) {}

  get row(): string | null {
    return this.#row;
  }

  /** Sends one write after the other until the server is gone. */
  async work(server: Server): Promise<void> {
    for (;;) {
      const write = this.#pending ?? this.#next();
      this.#pending = write;
      const { isError, body, text } = await server.call(write.tool, { ...write.args, idempotency_key: write.key });
      if (isError) throw new Failure(text);
      this.#pending = null;
      this.acknowledged.push(write.key);
      if (write.tool === 'create' && this.#row === null) this.#row = String(body.id);
      if (write.tool === 'update') this.points = Number(write.args.data === undefined ? 0 : this.points + 1);
    }
  }

  #next(): Write {
    const key = `${this.name} ${++this.#sent}`;
    const isUpdate = this.#row !== null && this.#sent % 3 === 0;
    if (!isUpdate) return { key, tool: 'create', args: { table: 'issues', data: { title: key } } };
    return { key, tool: 'update', args: { table: 'issues', id: this.#row, data: { points: this.points + 1 } } };
  }
}

class Failure extends Error {}

async function round(directory: string, all: readonly Caller[], wait: number): Promise<void> {
  const server = new Server(directory);
  const work = Promise.all(
    all.map((caller) =>
      caller.work(server).catch((error: unknown) => {
        if (error instanceof Failure) throw error;
      }),
    ),
  );
  await server.call('info', { table: 'issues' });
  await delay(wait);
  server.kill('SIGKILL');
  await server.ended();
  await work;
}

test(`${rounds} killed servers lose nothing and do nothing twice`, async () => {
  const directory = tempDir();
  const path = writeTable(`${directory}/user`);
  const all = Array.from({ length: callers }, (_, at) => new Caller(`caller ${at}`));
  const started = performance.now();
  for (let at = 0; at < rounds; at++) {
    await round(directory, all, Math.random() * 120);
    expectAcknowledged(path, all);
    if (at % 10 === 9) await expectWhole(path);
  }
  await expectWhole(path);
  const [log] = query(path, 'SELECT min(seq) AS first, max(seq) AS last, count(*) AS n FROM _events') as Record<
    string,
    number
  >[];
  expect(log).toEqual({ first: 1, last: log?.n, n: log?.n });
  const acknowledged = all.reduce((sum, caller) => sum + caller.acknowledged.length, 0);
  expect(log?.n).toBeGreaterThanOrEqual(acknowledged);
  expect(log?.n).toBeLessThanOrEqual(acknowledged + callers);
  console.log(`${rounds} kills, ${acknowledged} writes acknowledged, ${Math.round(performance.now() - started)} ms`);
}, 300_000);

function expectAcknowledged(path: string, all: readonly Caller[]): void {
  const keys = query(path, 'SELECT idempotency_key AS key, count(*) AS n FROM _events GROUP BY 1') as {
    key: string;
    n: number;
  }[];
  expect(keys.filter(({ n }) => n !== 1)).toEqual([]);
  const titles = query(path, `SELECT data ->> 'title' AS title, count(*) AS n FROM rows GROUP BY 1`) as {
    title: string;
    n: number;
  }[];
  expect(titles.filter(({ n }) => n !== 1)).toEqual([]);
  const there = new Set(keys.map(({ key }) => key));
  for (const { acknowledged, row, points } of all) {
    expect(acknowledged.filter((key) => !there.has(key))).toEqual([]);
    if (row === null) continue;
    const [found] = query(path, `SELECT coalesce(data ->> 'points', 0) AS points FROM rows WHERE id = ?`, row) as {
      points: number;
    }[];
    expect([points, points + 1]).toContain(found?.points);
  }
}
