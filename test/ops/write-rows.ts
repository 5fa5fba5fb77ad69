/** A process of its own that writes and reads a table until its standard input ends; it fails if any of that fails. */
import { setTimeout } from 'node:timers/promises';
import { currentVersion } from '../../src/events/catalogue.js';
import { jsonText } from '../../src/schema/json.js';
import { TableDatabase } from '../../src/tables/table-database.js';

const database = TableDatabase.open({
  path: process.argv[2] ?? '',
  name: 'notes',
  historyName: 'notes',
  archive: { keepRecent: 3, chunkMin: 2 },
  session: 'second',
  now: Date.now,
});
const caller = { actor: 'second', origin: { tool: 'test', session: 'second' } };
let written = 0;
let ended = false;
process.stdin.on('end', () => {
  ended = true;
});
process.stdin.resume();

while (!ended) {
  const rowId = `second-${written % 7}`;
  await database.log.append({
    caller,
    decide: (tx) => {
      const row = tx.row(rowId);
      const type = row === null ? 'row.created' : 'row.updated';
      const data = jsonText({ title: 't', count: written });
      const body = row === null ? `{"data":${data}}` : `{"set":{"count":${written}}}`;
      tx.append({ type, version: currentVersion(type), rowId, body: body as typeof data });
    },
  });
  written++;
  if (database.rows.get(rowId) === null) throw new Error('a row that was written is not there');
  await database.history.list(rowId);
  if (written === 5) process.stdout.write('ready\n');
  await setTimeout(2);
}
await database.close();
