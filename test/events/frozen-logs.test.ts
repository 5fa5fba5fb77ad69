/** Logs that were written once and for all: today's code reads, verifies and folds them to the rows they always were. */
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventCatalogue, upcast } from '../../src/events/catalogue.js';
import { EventRows } from '../../src/events/event-rows.js';
import { evolve } from '../../src/events/evolve.js';
import { genesisHash, hashOf } from '../../src/events/hash-chain.js';
import type { RowState, StoredEvent } from '../../src/events/types.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import type { JsonText } from '../../src/schema/json.js';
import { ScratchTable } from '../ops/scratch-table.js';

const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url));
const names = readdirSync(join(fixtures, 'log-v1')).filter((name) => name.endsWith('.jsonl'));

function eventsOf(name: string): StoredEvent[] {
  const lines = readFileSync(join(fixtures, 'log-v1', name), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line));
}

function rowsOf(name: string): unknown[] {
  return JSON.parse(readFileSync(join(fixtures, 'log-v1', name.replace(/jsonl$/, 'rows.json')), 'utf8'));
}

function fold(events: readonly StoredEvent[]): RowState[] {
  const rows = new Map<string, RowState>();
  for (const event of events.filter(({ rowId }) => rowId !== null)) {
    const id = event.rowId ?? '';
    const { after } = evolve(rows.get(id) ?? null, upcast(event));
    if (after === null) rows.delete(id);
    else rows.set(id, after);
  }
  return [...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

describe.each(names)('%s', (name) => {
  test('has an unbroken chain', () => {
    let previous = genesisHash;
    for (const event of eventsOf(name)) {
      expect(event.prevHash).toBe(previous);
      expect(hashOf(event)).toBe(event.hash);
      previous = event.hash;
    }
  });

  test('holds bodies of the catalogue and folds to its rows', () => {
    const events = eventsOf(name);
    for (const event of events) {
      const { type, body } = upcast(event);
      expect(eventCatalogue[type]?.body.safeParse(JSON.parse(body))).toMatchObject({ success: true });
    }
    const rows = fold(events).map(({ id, data, createdAt, updatedAt, version }) => ({
      ...{ id, data, created_at: createdAt, updated_at: updatedAt, version },
    }));
    expect(rows).toEqual(rowsOf(name));
  });
});

test('every type of the catalogue is frozen in its version of today', () => {
  const frozen = new Set(names.flatMap(eventsOf).map(({ type, version }) => `${type} ${version}`));
  const today = Object.entries(eventCatalogue).map(([type, { version }]) => `${type} ${version}`);
  expect(today.filter((type) => !frozen.has(type))).toEqual([]);
});

describe('the frozen database', () => {
  let table: ScratchTable;

  beforeEach(() => {
    table = new ScratchTable({ archive: { keepRecent: 3, chunkMin: 2 } });
    copyFileSync(join(fixtures, 'table-v1.db'), table.path);
  });

  afterEach(() => table.remove());

  /** An event of a later program, in its place in the chain. */
  function writeUnknown(): void {
    const connection = new Database(table.path);
    const events = new EventRows(connection);
    const head = events.head();
    const unknown = {
      ...{ seq: head.seq + 1, commit: head.commit + 1, rowId: 'a', rowVersion: 100, type: 'row.painted', version: 3 },
      ...{ body: '{"colour":"red"}' as JsonText, actor: 'later', origin: '{}' as JsonText, at: 1_770_000_000_000 },
      ...{ idempotencyKey: null, requestDigest: null, outcome: null, prevHash: head.hash },
    };
    events.insert({ ...unknown, hash: hashOf(unknown) });
    connection.close();
  }

  test('with an event of a later program is used and verified; what cannot be proven is named', async () => {
    writeUnknown();
    await table.update('b', { title: 'still works' });
    const { ok, checks } = await verifyTable(table.operated);
    expect(ok).toBe(false);
    expect(checks.filter((check) => !check.ok)).toMatchObject([
      { name: 'known events', first_difference: expect.stringContaining('row.painted') },
    ]);
    expect(table.query(`SELECT body FROM _events WHERE type = 'row.painted'`)).toEqual([{ body: '{"colour":"red"}' }]);
  });

  test('opens, verifies, and has the rows it always had', async () => {
    expect(table.database.adoption).toBeNull();
    const { checks } = await verifyTable(table.operated);
    expect(checks.filter((check) => !check.ok)).toEqual([]);
    const rows = table.query('SELECT id, data, created_at, updated_at, version FROM rows ORDER BY id');
    expect(rows).toEqual(rowsOf('every-type.jsonl'));
  });

  test('is written on: history, archive and restorations go on', async () => {
    expect((await table.restore('big', 1)).data.text).toBe('{"title":"small"}');
    expect((await table.restore('a', 2)).data.text).toContain('sentence 😀');
    expect((await verifyTable(table.operated)).ok).toBe(true);
  });
});
