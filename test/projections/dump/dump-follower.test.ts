import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { BackOff } from '../../../src/projections/back-off.js';
import { LeaseLost } from '../../../src/projections/checkpoints/checkpoints.js';
import { dataVersion$ } from '../../../src/projections/data-version.js';
import { type DumpOptions, dumpFollower, rewriteDump } from '../../../src/projections/dump/dump-follower.js';
import { RunningFollower } from '../../../src/projections/running-follower.js';
import { SmallLog } from '../../helpers/small-log.js';
import { eventually, useTempLog } from '../../helpers/temp-log.js';

const temp = useTempLog();
const quick: BackOff = { firstMs: 5, maxMs: 20, parkAfter: 3, parkedMs: 50 };

function options(changes: Partial<DumpOptions> = {}): DumpOptions {
  const settings = { dir: 'notes', title_field: null, body_field: null, sync: null };
  return {
    rows: temp.log,
    settings,
    schema: { table: 'issues', dump: settings },
    scope: 'project',
    scopeRoot: join(temp.dir, '.mini-app'),
    cwd: temp.dir,
    warn: () => undefined,
    ...changes,
  };
}

function start(log: SmallLog = temp.log, dump: DumpOptions = options()): RunningFollower {
  const signals$ = log.committed$;
  return new RunningFollower(log, dumpFollower(dump), { checkpoints: log.checkpoints(), signals$, backOff: quick });
}

const file = (id: string) => join(temp.dir, 'notes', `${id}.md`);
const text = (id: string) => readFileSync(file(id), 'utf8');
const row = (id: string, title: string) => ({ id, data: { title, body: 'b' } });
const free = { assertLeased: () => undefined, signal: new AbortController().signal };

describe('the dump', () => {
  it('holds a row once its commit is settled, and keeps the file of a deleted one', async () => {
    const running = start();
    await running.settled(temp.log.commit([row('a', 'one')]));
    expect(text('a')).toBe('# one\n\nb\n');
    await running.settled(temp.log.commit([row('a', 'two'), row('b', 'x')]));
    expect(text('a')).toBe('# two\n\nb\n');
    await running.settled(temp.log.commit([{ id: 'a', data: null }]));
    expect(text('a')).toBe('# two\n\nb\n');
    expect(readdirSync(join(temp.dir, 'notes')).sort()).toEqual(['a.md', 'b.md']);
    await running.close();
  });

  it('does not rewrite bytes that are there already', async () => {
    const running = start();
    await running.settled(temp.log.commit([row('a', 'one')]));
    const before = statSync(file('a')).ino;
    await running.settled(temp.log.commit([{ id: 'a', data: { title: 'one', body: 'b', other: 1 } }]));
    expect(statSync(file('a')).ino).toBe(before);
    await running.close();
  });

  it('comes back when its directory is deleted', async () => {
    const running = start();
    await running.settled(temp.log.commit([row('a', 'one')]));
    rmSync(join(temp.dir, 'notes'), { recursive: true });
    await running.settled(temp.log.commit([row('b', 'two')]));
    expect(text('b')).toBe('# two\n\nb\n');
    await running.close();
  });

  it('shows that a file stands where the directory should be, and goes on when it is gone', async () => {
    writeFileSync(join(temp.dir, 'notes'), 'in the way');
    const running = start();
    const head = temp.log.commit([row('a', 'one')]);
    await eventually(() => running.status(head).state !== 'live');
    expect(running.status(head).lastError).toBe('IO_ERROR: io error: the dump directory cannot be used (EEXIST)');
    expect(readFileSync(join(temp.dir, 'notes'), 'utf8')).toBe('in the way');
    rmSync(join(temp.dir, 'notes'));
    await eventually(() => running.status(head).state === 'live');
    expect(text('a')).toBe('# one\n\nb\n');
    await running.close();
  });

  it('writes the other rows of a batch when one cannot be written', async () => {
    mkdirSync(file('a'), { recursive: true });
    writeFileSync(join(file('a'), 'x'), '');
    const running = start();
    const head = temp.log.commit([row('a', 'one'), row('b', 'two')]);
    await eventually(() => running.status(head).state === 'parked');
    expect(text('b')).toBe('# two\n\nb\n');
    expect(running.status(head).lastError).toContain('row a');
    expect(readdirSync(join(temp.dir, 'notes')).sort()).toEqual(['a.md', 'b.md']);
    await running.close();
  });

  it('never follows a link out of the project', async () => {
    mkdirSync(join(temp.dir, 'repo/.mini-app'), { recursive: true });
    mkdirSync(join(temp.dir, 'outside'));
    symlinkSync(join(temp.dir, 'outside'), join(temp.dir, 'repo/notes'));
    const place = { cwd: join(temp.dir, 'repo'), scopeRoot: join(temp.dir, 'repo/.mini-app') };
    const running = start(temp.log, options(place));
    const head = temp.log.commit([row('a', 'one')]);
    await eventually(() => running.status(head).state !== 'live');
    expect(running.status(head).lastError).toContain('dump.dir leads outside');
    expect(readdirSync(join(temp.dir, 'outside'))).toEqual([]);
    await running.close();
  });

  it('replaces a file that is a link, not what the link points to', async () => {
    mkdirSync(join(temp.dir, 'notes'));
    writeFileSync(join(temp.dir, 'precious'), 'precious');
    symlinkSync(join(temp.dir, 'precious'), file('a'));
    const running = start();
    await running.settled(temp.log.commit([row('a', 'one')]));
    expect(lstatSync(file('a')).isSymbolicLink()).toBe(false);
    expect(readFileSync(join(temp.dir, 'precious'), 'utf8')).toBe('precious');
    await running.close();
  });

  it('removes temporary files of dead processes, and only those', async () => {
    const running = start();
    await running.settled(temp.log.commit([row('a', 'one')]));
    await running.close();
    const { createHash } = await import('node:crypto');
    const { hostname } = await import('node:os');
    const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
    const names = { dead: `.mini-app-${host}-99999999-aa.tmp`, alive: `.mini-app-${host}-${process.pid}-aa.tmp` };
    for (const name of Object.values(names)) writeFileSync(join(temp.dir, 'notes', name), '');
    const again = start();
    await again.settled(temp.log.commit([row('a', 'two')]));
    expect(existsSync(join(temp.dir, 'notes', names.dead))).toBe(false);
    expect(existsSync(join(temp.dir, 'notes', names.alive))).toBe(true);
    await again.close();
  });

  it('writes nothing once the lease is lost, and leaves no temporary file', async () => {
    temp.log.commit([row('a', 'one')]);
    const lost = () => {
      throw new LeaseLost('dump');
    };
    const context = { position: 0, signal: free.signal, assertLeased: lost };
    await expect(dumpFollower(options()).apply(temp.log.readNow(0, 10), context)).rejects.toBeInstanceOf(LeaseLost);
    expect(readdirSync(join(temp.dir, 'notes'))).toEqual([]);
  });

  it('puts right a file that a process stopped right before its rename wrote over a newer one', async () => {
    temp.log.commit([row('a', 'old')]);
    let asked = 0;
    const stalled = () => {
      asked++;
      // Between this answer and the rename another process takes over and writes the next state.
      if (asked === 1) temp.log.commit([row('a', 'new')]);
      else throw new LeaseLost('dump');
    };
    const context = { position: 0, signal: free.signal, assertLeased: stalled };
    await expect(dumpFollower(options()).apply(temp.log.readNow(0, 1), context)).rejects.toBeInstanceOf(LeaseLost);
    expect(text('a')).toBe('# new\n\nb\n');
  });

  it('is rewritten whole on request and when its settings change', async () => {
    const running = start();
    await running.settled(temp.log.commit([row('a', 'one'), row('b', 'two')]));
    await running.close();
    rmSync(join(temp.dir, 'notes'), { recursive: true });
    await rewriteDump(['a', 'b', 'gone'], options(), free);
    expect(readdirSync(join(temp.dir, 'notes')).sort()).toEqual(['a.md', 'b.md']);
    const settings = { dir: 'notes', title_field: 'body', body_field: null, sync: null };
    const changed = start(temp.log, options({ settings, schema: { table: 'issues', dump: settings } }));
    await eventually(() => text('b') === '# b\n\nb\n');
    await changed.close();
  });

  it('warns once that bidirectional only writes', () => {
    const warnings: string[] = [];
    const settings = { dir: null, title_field: null, body_field: null, sync: 'bidirectional' as const };
    dumpFollower(options({ settings, warn: (message) => warnings.push(message) }));
    expect(warnings).toEqual(['table issues: dump.sync bidirectional is not implemented, dumping is write-only']);
  });

  it('shows the writes of another process', async () => {
    const signals$ = dataVersion$(temp.log.connect(), 10);
    const running = new RunningFollower(temp.log, dumpFollower(options()), {
      checkpoints: temp.log.checkpoints(),
      signals$,
    });
    await running.settled(0);
    const other = new SmallLog(temp.log.path);
    other.commit([row('a', 'theirs')]);
    other.close();
    await eventually(() => existsSync(file('a')));
    expect(text('a')).toBe('# theirs\n\nb\n');
    await sleep(0);
    await running.close();
  });
});
