import { describe, expect, test } from 'vitest';
import { evolve } from '../../src/events/evolve.js';
import type { RecordedEvent, RowState } from '../../src/events/types.js';
import type { JsonText } from '../../src/schema/json.js';

const before: RowState = { id: 'x', data: '{"a":1,"b":2}' as JsonText, createdAt: 5, updatedAt: 6, version: 3 };

function event(type: string, body: string): RecordedEvent {
  const place = { seq: 9, commit: 4, rowId: 'x', rowVersion: 4, at: 12_345 };
  return { ...place, type, version: 1, body: body as JsonText, actor: 'a', origin: '{}' as JsonText };
}

describe('an event that does not fit the state', () => {
  test.each([
    ['updates a row that is not there', null, event('row.updated', '{"set":{"a":1}}')],
    ['deletes a row that is not there', null, event('row.deleted', '{}')],
    ['restores a row that is not there by a patch', null, event('row.restored', '{"set":{"a":1}}')],
    ['removes a member that is not there', before, event('row.updated', '{"unset":["z"]}')],
    ['creates a row without data', null, event('row.created', '{}')],
  ])('and %s is a damaged log', (_name, state, misfit) => {
    expect(() => evolve(state, misfit)).toThrow(expect.objectContaining({ code: 'CORRUPT_LOG' }));
  });
});

describe('the state after', () => {
  test.each([
    ['row.created', null, '{"data":{"z":1}}', '{"z":1}', 12, 12],
    ['row.imported', null, '{"data":{"z":1},"created_at":1,"updated_at":2}', '{"z":1}', 1, 2],
    ['row.imported', null, '{"text":"no json","created_at":1,"updated_at":2}', 'no json', 1, 2],
    ['row.updated', before, '{"set":{"b":3,"c":4}}', '{"a":1,"b":3,"c":4}', 5, 12],
    ['row.updated', before, '{"data":{"q":1},"history":"off"}', '{"q":1}', 5, 12],
    ['row.updated', null, '{"data":{"q":1},"created_at":3,"history":"off"}', '{"q":1}', 3, 12],
    ['row.restored', before, '{"from_version":1,"unset":["b"]}', '{"a":1}', 5, 12],
    ['row.restored', null, '{"from_version":1,"data":{"a":0},"created_at":2}', '{"a":0}', 2, 12],
    ['row.reconciled', null, '{"op":"create","data":{"n":1},"created_at":1,"updated_at":2}', '{"n":1}', 1, 2],
    ['row.reconciled', before, '{"op":"update","set":{"a":2},"created_at":1,"updated_at":2}', '{"a":2,"b":2}', 1, 2],
  ])('%s', (type, state, body, data, createdAt, updatedAt) => {
    const { after } = evolve(state, event(type, body));
    expect(after).toEqual({ id: 'x', data, createdAt, updatedAt, version: 4 });
  });

  test.each(['row.deleted', 'row.reconciled'])('%s can be nothing', (type) => {
    expect(evolve(before, event(type, '{"op":"delete"}')).after).toBeNull();
  });
});

test('imports and events without history leave no entry', () => {
  expect(evolve(null, event('row.imported', '{"data":{},"created_at":1,"updated_at":1}')).recorded).toBe(false);
  expect(evolve(null, event('row.created', '{"data":{},"history":"off"}')).recorded).toBe(false);
  expect(evolve(null, event('row.created', '{"data":{}}')).recorded).toBe(true);
});
