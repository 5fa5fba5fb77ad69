/** Real processes: one is killed in the middle of its writes, the next one takes over. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { dumpFollower } from '../../../src/projections/dump/dump-follower.js';
import { RunningFollower } from '../../../src/projections/running-follower.js';
import { eventually, useTempLog } from '../../helpers/temp-log.js';

const temp = useTempLog();
const child = fileURLToPath(new URL('../../helpers/dump-child.ts', import.meta.url));
const count = 600;

const notes = () => {
  const dir = join(temp.dir, 'notes');
  return existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith('.md')) : [];
};

function commitAll(round: number): void {
  temp.log.commit(Array.from({ length: count }, (_, n) => ({ id: `r${n}`, data: { title: `${round}-${n}` } })));
}

describe('a process that is killed while it dumps', () => {
  it('is followed by one that takes its lease at once and leaves every file at the newest state', async () => {
    commitAll(1);
    for (const enough of [3, 220]) {
      const running = spawn(process.execPath, ['--import', 'tsx', child, temp.dir], { stdio: 'ignore' });
      const exited = once(running, 'exit');
      await eventually(() => notes().length >= enough, 20_000);
      running.kill('SIGKILL');
      await exited;
    }
    commitAll(2);
    const settings = { dir: 'notes', title_field: null, body_field: null, sync: null };
    const place = { scope: 'project' as const, scopeRoot: join(temp.dir, '.mini-app'), cwd: temp.dir };
    const follower = dumpFollower({
      rows: temp.log,
      settings,
      schema: { table: 'issues', dump: settings },
      warn: () => undefined,
      ...place,
    });
    const head = temp.log.headNow();
    const next = new RunningFollower(temp.log, follower, {
      checkpoints: temp.log.checkpoints(),
      signals$: temp.log.committed$,
    });
    await next.settled(head, 20_000);
    expect(next.status(head)).toMatchObject({ state: 'live', lag: 0 });
    for (let n = 0; n < count; n++) {
      expect(readFileSync(join(temp.dir, 'notes', `r${n}.md`), 'utf8')).toBe(`# 2-${n}\n\n\n`);
    }
    expect(readdirSync(join(temp.dir, 'notes'))).toHaveLength(count);
    await next.close();
  }, 60_000);
});
