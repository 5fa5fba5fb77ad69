import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aggregate, aggregateTables, resolveSources } from '../../src/ops/aggregate.js';
import { encodeJson } from '../../src/schema/json.js';
import { parseSources } from '../../src/schema/sources.js';
import { newDir, removeDir } from '../helpers/temp-dir.js';
import { StoreOf } from './store-of.js';

const schema = `table: events
fields:
  - { name: tag, type: string }
  - { name: amount, type: number }
  - { name: done, type: boolean }
  - { name: "odd.'name\\"[0]", type: number }
  - { name: tags, type: array }
`;
const names = ['events_a', 'events_b', '2-digit', 'select'];

let opened: StoreOf;
const ask = (aggregator: unknown, filter?: unknown, sources: unknown = { kind: 'single', value: 'events_a' }) =>
  aggregate(opened.store, { sources, filter, aggregator });
const both = { kind: 'multi', value: ['events_a', 'events_b'] };

beforeEach(() => {
  // SQLite would take the start of this path for an address, and a careless statement would end at the quote.
  const directory = join(newDir(), "file:it's?mode=rw 100%");
  mkdirSync(directory);
  opened = new StoreOf(directory, Object.fromEntries(names.map((name) => [name, schema])));
});

afterEach(async () => {
  await opened.close();
  removeDir(join(opened.directory, '..'));
});

describe('one table', () => {
  beforeEach(() => {
    opened.insert('events_a', [
      '{"tag":"b","amount":1,"done":true,"odd.\'name\\"[0]":7}',
      '{"tag":"a","amount":2.5,"done":false}',
      '{"tag":"b","amount":null,"done":true}',
      '{}',
    ]);
  });

  it('counts, adds and compares', async () => {
    expect(await ask({ kind: 'count' })).toEqual({ kind: 'count', value: 4 });
    expect(await ask({ kind: 'sum', field: 'amount' })).toEqual({ kind: 'value', value: 3.5 });
    expect(await ask({ kind: 'avg', field: 'amount' })).toEqual({ kind: 'value', value: 1.75 });
    expect(await ask({ kind: 'min', field: 'tag' })).toEqual({ kind: 'value', value: 'a' });
    expect(await ask({ kind: 'max', field: 'amount' })).toEqual({ kind: 'value', value: 2.5 });
    expect(await ask({ kind: 'sum', field: 'done' })).toEqual({ kind: 'value', value: 2 });
    expect(await ask({ kind: 'sum', field: 'odd.\'name"[0]' })).toEqual({ kind: 'value', value: 7 });
  });

  it('answers null for nothing', async () => {
    const filter = { type: 'eq', field: 'tag', value: 'nobody' };
    expect(await ask({ kind: 'count' }, filter)).toEqual({ kind: 'count', value: 0 });
    expect(await ask({ kind: 'sum', field: 'amount' }, filter)).toEqual({ kind: 'value', value: null });
    expect(await ask({ kind: 'group_by', by_field: 'tag' }, filter)).toEqual({ kind: 'groups', value: [] });
  });

  it('groups in order, with and without a value', async () => {
    expect(await ask({ kind: 'group_by', by_field: 'tag', having: null, inner: null })).toEqual({
      kind: 'groups',
      value: [
        { key: null, count: 1 },
        { key: 'a', count: 1 },
        { key: 'b', count: 2 },
      ],
    });
    expect(await ask({ kind: 'group_by', by_field: 'done', inner: { kind: 'sum', field: 'amount' } })).toEqual({
      kind: 'groups',
      value: [
        { key: null, count: 1, value: null },
        { key: false, count: 1, value: 2.5 },
        { key: true, count: 2, value: 1 },
      ],
    });
    expect(await ask({ kind: 'group_by', by_field: 'tag', inner: { kind: 'count' } })).toMatchObject({
      value: [{ value: 1 }, { value: 1 }, { value: 2 }],
    });
  });
});

describe('several tables', () => {
  beforeEach(() => {
    opened.insert('events_a', ['{"tag":"a","amount":1}', '{"tag":"b","amount":2}']);
    opened.insert('events_b', ['{"tag":"a","amount":9}', '{"tag":"b","amount":5}', '{"tag":"c"}']);
  });

  it('are one set of rows', async () => {
    expect(await ask({ kind: 'count' }, null, both)).toEqual({ kind: 'count', value: 5 });
    const having = { type: 'eq', field: 'tag', value: 'a' };
    const inner = { kind: 'sum', field: 'amount' };
    expect(await ask({ kind: 'group_by', by_field: 'tag', having, inner }, undefined, both)).toEqual({
      kind: 'groups',
      value: [{ key: 'a', count: 2, value: 10 }],
    });
  });

  it('may have any name', async () => {
    expect(await ask({ kind: 'count' }, null, { kind: 'multi', value: names })).toEqual({ kind: 'count', value: 5 });
  });

  it('come out of a pattern for an alias', async () => {
    const tables = resolveSources(opened.registry, parseSources({ kind: 'pattern', value: 'events_*' }));
    expect(tables.map((table) => table.name)).toEqual(['events_a', 'events_b']);
    expect(await aggregateTables(tables, { aggregator: { kind: 'count' } })).toEqual({ kind: 'count', value: 5 });
  });
});

describe('odd data', () => {
  it('never fails a query', async () => {
    opened.insert('events_a', [
      'no json {',
      '[1]',
      '"text"',
      '{"tag":{"x":1},"amount":"12","done":1}',
      '{"tag":["x"],"amount":[5],"done":"yes"}',
      '{"tag":7,"amount":1e999,"done":true}',
      '{"tag":"a","amount":{"a":1},"done":null}',
    ]);
    expect(await ask({ kind: 'count' })).toEqual({ kind: 'count', value: 7 });
    for (const field of ['tag', 'amount', 'done', 'tags']) {
      for (const kind of ['sum', 'avg', 'min', 'max']) await ask({ kind, field });
      await ask({ kind: 'group_by', by_field: field, inner: { kind: 'sum', field } });
    }
    expect(await ask({ kind: 'sum', field: 'amount' })).toEqual({ kind: 'value', value: null });
    expect(await ask({ kind: 'count' }, { type: 'eq', field: 'tag', value: 'a' })).toEqual({ kind: 'count', value: 1 });
    expect(await ask({ kind: 'group_by', by_field: 'done' })).toEqual({
      kind: 'groups',
      value: [
        { key: null, count: 4 },
        { key: 1, count: 1 },
        { key: true, count: 1 },
        { key: 'yes', count: 1 },
      ],
    });
  });

  it('keeps the digits of large integers, and adds up what 64 bits cannot hold', async () => {
    opened.insert('events_a', ['{"amount":9007199254740993}', '{"amount":9007199254740994}']);
    expect(encodeJson(await ask({ kind: 'min', field: 'amount' }))).toBe('{"kind":"value","value":9007199254740993}');
    expect(encodeJson(await ask({ kind: 'sum', field: 'amount' }))).toBe('{"kind":"value","value":18014398509481987}');
    opened.insert('events_a', ['{"amount":9223372036854775807}']);
    expect(await ask({ kind: 'sum', field: 'amount' })).toEqual({ kind: 'value', value: 2 ** 63 + 2 ** 54 });
    expect(await ask({ kind: 'group_by', by_field: 'tag', inner: { kind: 'sum', field: 'amount' } })).toMatchObject({
      value: [{ key: null, count: 3, value: 2 ** 63 + 2 ** 54 }],
    });
  });
});

describe('refusals', () => {
  const single = { kind: 'single', value: 'events_a' };
  it.each([
    [single, { kind: 'sum', field: 'amuont' }, undefined, 'VALIDATION_ERROR', 'amuont'],
    [single, { kind: 'group_by', by_field: 'x' }, undefined, 'VALIDATION_ERROR', 'x'],
    [single, { kind: 'count', field: 'tag' }, undefined, 'VALIDATION_ERROR', 'aggregator.field'],
    [single, { kind: 'median', field: 'tag' }, undefined, 'VALIDATION_ERROR', 'aggregator.kind'],
    [single, { kind: 'sum' }, undefined, 'VALIDATION_ERROR', 'aggregator.field'],
    [single, undefined, undefined, 'VALIDATION_ERROR', 'aggregator'],
    [single, { kind: 'count' }, { type: 'eq', field: 'nope', value: 1 }, 'VALIDATION_ERROR', 'nope'],
    [
      single,
      { kind: 'group_by', by_field: 'tag', having: { type: 'eq', field: 'done', value: true } },
      undefined,
      'VALIDATION_ERROR',
      'done',
    ],
    [{ kind: 'multi', value: ['events_a', 'events_a'] }, { kind: 'count' }, undefined, 'VALIDATION_ERROR', 'sources'],
    [{ kind: 'single', value: ['events_a'] }, { kind: 'count' }, undefined, 'VALIDATION_ERROR', 'sources.value'],
    [null, { kind: 'count' }, undefined, 'VALIDATION_ERROR', 'sources'],
    [{ kind: 'single', value: 'nope' }, { kind: 'count' }, undefined, 'TABLE_NOT_FOUND', undefined],
    [{ kind: 'multi', value: [] }, { kind: 'count' }, undefined, 'AGGREGATOR_ERROR', undefined],
    [{ kind: 'multi', value: [...'abcdefghijk'] }, { kind: 'count' }, undefined, 'AGGREGATOR_ERROR', undefined],
    [{ kind: 'pattern', value: '*' }, { kind: 'count' }, undefined, 'AGGREGATOR_ERROR', undefined],
    [
      single,
      { kind: 'group_by', by_field: 'tag', inner: { kind: 'group_by', by_field: 'tag' } },
      undefined,
      'AGGREGATOR_ERROR',
      undefined,
    ],
  ])('%j %j %j', async (sources, aggregator, filter, code, field) => {
    const error = await ask(aggregator, filter, sources).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code, fields: field === undefined ? {} : { field } });
  });
});

describe('a large table', () => {
  it('is read in another thread, with the same answers and errors, while this one goes on', async () => {
    const texts = Array.from({ length: 12_000 }, (_, index) => `{"tag":"t${index % 3}","amount":${index}}`);
    opened.insert('events_a', texts);
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 1);
    const [count, groups] = await Promise.all([
      ask({ kind: 'count' }),
      ask({ kind: 'group_by', by_field: 'tag', inner: { kind: 'max', field: 'amount' } }),
    ]);
    clearInterval(ticking);
    expect(count).toEqual({ kind: 'count', value: 12_000 });
    expect(groups).toMatchObject({ value: [{ key: 't0', count: 4_000, value: 11_997 }, {}, {}] });
    expect(ticks).toBeGreaterThan(5);
  });
});
