/** Whatever happens between a commit and its file, the file ends at the newest state. */
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { merge, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { BackOff } from '../../src/projections/back-off.js';
import { type DumpOptions, dumpCheckpoint, dumpFollower } from '../../src/projections/dump/dump-follower.js';
import type { Follower } from '../../src/projections/projection.js';
import { RunningFollower } from '../../src/projections/running-follower.js';
import { type Change, SmallLog } from '../helpers/small-log.js';
import { newDir, removeDir } from '../helpers/temp-dir.js';

const settings = { dir: 'notes', title_field: null, body_field: null, sync: null };
const quick: BackOff = { firstMs: 1, maxMs: 2, parkAfter: 1_000, parkedMs: 2 };
const runs = { numRuns: Number(process.env.PROPERTY_RUNS ?? 25), endOnFailure: true };

const id = fc.constantFrom('a', 'b', 'c', 'd');
const data = fc.record({ title: fc.nat(9), body: fc.constantFrom('', 'x', 'y\n') });
/** No deletions: the file of a deleted row stays at whichever earlier state it had, which is not one answer. */
const commits = fc.array(fc.array(fc.record({ id, data }), { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 8,
});

class World {
  readonly dir = newDir();
  readonly log = new SmallLog(join(this.dir, 'table.db'));
  readonly options: DumpOptions = {
    rows: this.log,
    settings,
    schema: { table: 'issues', dump: settings },
    scope: 'project',
    scopeRoot: join(this.dir, '.mini-app'),
    cwd: this.dir,
    warn: () => undefined,
  };

  files(): Record<string, string> {
    const notes = join(this.dir, 'notes');
    return Object.fromEntries(readdirSync(notes).map((name) => [name, readFileSync(join(notes, name), 'utf8')]));
  }

  close(): void {
    this.log.close();
    removeDir(this.dir);
  }
}

/** What applying one event after the other leaves behind, computed without any of the code under test but the bytes. */
function expectedFiles(changes: readonly Change[]): Record<string, string> {
  const files: Record<string, string> = {};
  for (const change of changes) files[`${change.id}.md`] = JSON.stringify(change.data);
  for (const [name, text] of Object.entries(files)) files[name] = renderText(text);
  return files;
}

function renderText(text: string): string {
  const { title, body } = JSON.parse(text) as { title: number; body: string };
  return `# ${title}\n\n${body.replace(/\n+$/, '')}\n`;
}

/** Fails before, in the middle or after applying, as the plan says, once per entry. */
function faulty(follower: Follower, plan: readonly ('before' | 'after' | 'fine')[]): Follower {
  const left = [...plan];
  return {
    ...follower,
    async apply(batch, context) {
      const now = left.shift();
      if (now === 'before') throw new Error('before');
      await follower.apply(batch, context);
      if (now === 'after') throw new Error('after');
    },
  };
}

async function inWorld(test: (world: World) => Promise<void>): Promise<void> {
  const world = new World();
  try {
    await test(world);
  } finally {
    world.close();
  }
}

describe('followers', () => {
  it('give the same files for any batching, signals and failures as one event at a time', async () => {
    const plan = fc.array(fc.constantFrom('before', 'after', 'fine'), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        commits,
        plan,
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat(3)),
        async (all, faults, batchSize, extra) =>
          inWorld(async (world) => {
            const extra$ = new Subject<void>();
            const running = new RunningFollower(world.log, faulty(dumpFollower(world.options), faults), {
              checkpoints: world.log.checkpoints(),
              signals$: merge(world.log.committed$, extra$),
              backOff: quick,
              batchSize,
            });
            for (const [index, changes] of all.entries()) {
              world.log.commit(changes);
              for (let n = 0; n < (extra[index] ?? 0); n++) extra$.next();
              if (index % 2 === 1) await new Promise((resolve) => setImmediate(resolve));
            }
            await running.settled(world.log.headNow(), 10_000);
            expect(world.files()).toEqual(expectedFiles(all.flat()));
            await running.close();
          }),
      ),
      runs,
    );
  }, 60_000);

  it('reach the newest state after a crash at any write', async () => {
    await fc.assert(
      fc.asyncProperty(commits, commits, fc.nat(8), async (before, after, writes) =>
        inWorld(async (world) => {
          for (const changes of before) world.log.commit(changes);
          await crashAfter(world, writes);
          for (const changes of after) world.log.commit(changes);
          const running = new RunningFollower(world.log, dumpFollower(world.options), {
            checkpoints: world.log.checkpoints(),
            signals$: world.log.committed$,
            backOff: quick,
          });
          await running.settled(world.log.headNow(), 10_000);
          expect(world.files()).toEqual(expectedFiles([...before.flat(), ...after.flat()]));
          await running.close();
        }),
      ),
      runs,
    );
  }, 60_000);

  it('never apply out of order when two runners share a checkpoint', async () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }));
    await fc.assert(
      fc.asyncProperty(
        commits,
        sizes,
        fc.array(fc.boolean(), { minLength: 4, maxLength: 12 }),
        async (all, batchSizes, pauses) =>
          inWorld(async (world) => {
            const order: number[] = [];
            const moves = [...pauses];
            const follower: Follower = {
              name: 'recorder',
              version: 1,
              startsAt: 'origin',
              async apply(batch) {
                if (moves.shift() === true) await new Promise((resolve) => setTimeout(resolve, 2));
                order.push(...batch.map((event) => event.seq));
              },
            };
            const start = (batchSize: number) =>
              new RunningFollower(world.log, follower, {
                checkpoints: world.log.checkpoints(),
                signals$: world.log.committed$,
                backOff: quick,
                batchSize,
              });
            const runners = batchSizes.map(start);
            for (const changes of all) world.log.commit(changes);
            const head = world.log.headNow();
            await Promise.all(runners.map((runner) => runner.settled(head, 10_000)));
            expect(order).toEqual(Array.from({ length: head }, (_, index) => index + 1));
            await Promise.all(runners.map((runner) => runner.close()));
          }),
      ),
      runs,
    );
  }, 60_000);
});

/** A process that takes the lease, writes so many files, and is gone: no move of the position, no release. */
async function crashAfter(world: World, writes: number): Promise<void> {
  const follower = dumpFollower(world.options);
  const dead = world.log.checkpoints({ owner: `${hostname()}:99999999:aa` });
  await dead.register(dumpCheckpoint(world.options), follower.version, 0);
  await dead.acquire(follower.name, follower.version);
  // Asked twice per file, before and after the rename: odd numbers stop between the two.
  let left = writes;
  const assertLeased = () => {
    if (left-- <= 0) throw new Error('crash');
  };
  const context = { position: 0, signal: new AbortController().signal, assertLeased };
  await follower.apply(world.log.readNow(0, 1_000), context).catch(() => undefined);
}
