/** A process that changes a table's schema together with its rows until it is killed. */
import { runBatch } from '../../src/ops/run-batch.js';
import { caller, ScopeStore } from '../ops/scope-store.js';

const [directory = ''] = process.argv.slice(2);
const store = new ScopeStore({ directory, environment: { MINI_APP_BACKUP_RETENTION: '2' } });

for (let n = store.registry.resolve('notes').open().rows.count(); ; n++) {
  const fields = [{ name: `f${n}`, type: 'number', required: true }];
  const ops = [
    { op: 'schema_update', table: 'notes', scope: 'user', fields },
    { op: 'data_insert', data: { [`f${n}`]: n } },
  ];
  await runBatch(store, { ops }, caller);
  process.stdout.write('.');
}
