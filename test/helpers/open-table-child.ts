/**
 * A process of its own that opens a table the moment it is told to: `open-table-child <path>`, then a line on stdin. It
 * says what it adopted, writes one row, and ends.
 */
import { once } from 'node:events';
import type { JsonText } from '../../src/schema/json.js';
import { TableDatabase } from '../../src/tables/table-database.js';

process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.pause();
const database = TableDatabase.open({
  path: process.argv[2] ?? '',
  name: 'notes',
  historyName: 'notes',
  archive: { keepRecent: 16, chunkMin: 48 },
  session: `child ${process.pid}`,
  now: Date.now,
});
await database.log.append({
  caller: { actor: 'child', origin: { tool: 'test', session: String(process.pid) } },
  decide: (tx) =>
    tx.append({
      type: 'row.created',
      version: 1,
      rowId: `row of ${process.pid}`,
      body: '{"data":{"title":"x"}}' as JsonText,
    }),
});
process.stdout.write(`${JSON.stringify({ journal: database.journalMode, adoption: database.adoption })}\n`);
await database.close();
