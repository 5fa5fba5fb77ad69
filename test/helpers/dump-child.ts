/** A process of its own that dumps a table until it is killed: `dump-child.ts <directory>`. */
import { join } from 'node:path';
import { dumpFollower } from '../../src/projections/dump/dump-follower.js';
import { RunningFollower } from '../../src/projections/running-follower.js';
import { SmallLog } from './small-log.js';

const [, , dir] = process.argv;
if (dir === undefined) throw new Error('usage: dump-child.ts <directory>');

const log = new SmallLog(join(dir, 'table.db'));
const settings = { dir: 'notes', title_field: null, body_field: null, sync: null };
const follower = dumpFollower({
  rows: log,
  settings,
  schema: { table: 'issues', dump: settings },
  scope: 'project',
  scopeRoot: join(dir, '.mini-app'),
  cwd: dir,
  warn: () => undefined,
});
new RunningFollower(log, follower, { checkpoints: log.checkpoints(), signals$: log.committed$, batchSize: 50 });
process.stdout.write('started\n');
setInterval(() => undefined, 1_000);
