/** Aggregates through the op, against the same SQL by hand on the same file. */
import { cpSync } from 'node:fs';
import Database from 'better-sqlite3';
import { aggregate } from '../../src/ops/aggregate.js';
import { manyRows } from '../data/many-rows.js';
import { shared } from '../data/shared.js';
import type { Contender, Figure } from '../figure.js';
import { databaseIn, layOut, withStore } from '../product.js';
import { medianTime } from '../timing.js';

const million = 1_000_000;
const perTable = 20_000;
const tenTables = ['issues', ...Array.from({ length: 9 }, (_, index) => `issues_${index + 2}`)];
const limits = { call: { unit: 'ms', maxRatio: 1.2 } } as const;

export const figures: Figure[] = [
  {
    name: 'aggregate-group-1m',
    metrics: limits,
    subject: op('group_by state, 1M rows', 1, million, {
      sources: { kind: 'single', value: 'issues' },
      aggregator: { kind: 'group_by', by_field: 'state' },
    }),
    reference: sql(
      'the same SQL by hand',
      1,
      million,
      (from) => `SELECT data ->> '$.state' AS state, count(*) FROM ${from} GROUP BY 1`,
    ),
    runs: 3,
    warmUp: false,
  },
  {
    name: 'aggregate-sum-1-table',
    metrics: limits,
    subject: op('sum over 1 table of 20,000 rows', 10, perTable, {
      sources: { kind: 'single', value: 'issues' },
      aggregator: { kind: 'sum', field: 'priority' },
    }),
    reference: sql('the same SQL by hand', 10, perTable, sum),
    runs: 5,
  },
  {
    name: 'aggregate-sum-10-tables',
    metrics: limits,
    subject: op('sum over 10 tables of 20,000 rows', 3, perTable, {
      sources: { kind: 'multi', value: tenTables },
      aggregator: { kind: 'sum', field: 'priority' },
    }),
    reference: sql('the same SQL by hand', 3, perTable, sum, tenTables),
    runs: 3,
  },
];

function sum(from: string): string {
  return `SELECT sum(json_extract(data, '$.priority')) FROM ${from}`;
}

function op(name: string, calls: number, rows: number, input: { sources: unknown; aggregator: unknown }): Contender {
  return {
    name,
    measure: async () =>
      withStore(await tablesOf(rows), async (store) => ({
        call: await medianTime(calls, () => aggregate(store, input)),
      })),
  };
}

/** On an open connection, as somebody would who had only this to do. */
function sql(
  name: string,
  calls: number,
  rows: number,
  text: (from: string) => string,
  tables: readonly string[] = ['issues'],
): Contender {
  return {
    name,
    async measure() {
      const directory = await tablesOf(rows);
      const database = new Database(':memory:');
      for (const table of tables) database.prepare(`ATTACH ? AS ${table}`).run(databaseIn(directory, table));
      const from = tables.map((table) => `SELECT data FROM ${table}.rows`).join(' UNION ALL ');
      const statement = database.prepare(text(`(${from})`));
      const call = await medianTime(calls, () => statement.all());
      database.close();
      return { call };
    },
  };
}

/** Ten equal tables where there are to be ten, else one. */
function tablesOf(rows: number): Promise<string> {
  if (rows !== perTable) return manyRows(rows);
  return shared('ten-tables', async (directory) => {
    const source = await manyRows(rows);
    for (const table of tenTables) {
      layOut(directory, table, '  - { name: lot, type: number }\n');
      cpSync(databaseIn(source), databaseIn(directory, table));
    }
  });
}
