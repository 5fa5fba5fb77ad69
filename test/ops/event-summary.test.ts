import { expect, it } from 'vitest';
import { eventSummary } from '../../src/ops/event-summary.js';
import { type JsonValue, jsonText } from '../../src/schema/json.js';

const summary = (type: string, rowId: string | null, body: JsonValue) =>
  eventSummary({ type, rowId, body: jsonText(body) });

it('tells a change of the schema by its lines', () => {
  const [before, after] = ['table: a\nfields:\n  - name: x\n    type: string\n', null];
  expect(summary('schema.changed', null, { before: null, after: before, scope: 'project' })).toBe(
    'made in scope project',
  );
  expect(summary('schema.changed', null, { before, after, scope: 'user' })).toBe('taken away from scope user');
  const changed = { before, after: before.replace('string', 'number'), scope: 'project' };
  expect(summary('schema.changed', null, changed)).toBe('-"type: string" +"type: number"');
});

it('leaves out what was not given', () => {
  expect(summary('alias.created', null, { name: 'a', sources: null, filter: '{"type":"eq"}', fields: null })).toBe(
    'name a filter {"type":"eq"}',
  );
  expect(summary('history.purged', null, { days: 0, max_per_row: 1, removed: [['a', 1, 2]] })).toBe(
    'max_per_row 1 removed (1)',
  );
});

it('shows a text that somebody wrote in place of JSON', () => {
  expect(summary('row.reconciled', 'a', { op: 'update', text: 'oops', created_at: 1, updated_at: 1 })).toBe(
    'not JSON: "oops"',
  );
});
