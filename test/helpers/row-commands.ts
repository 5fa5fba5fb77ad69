/** Commands on rows for properties: how they are drawn, what a naive model makes of them, how the real ops run them. */
import fc from 'fast-check';
import { isStoreError } from '../../src/errors.js';
import { createRow } from '../../src/ops/create-row.js';
import { deleteRow } from '../../src/ops/delete-row.js';
import { restoreRow } from '../../src/ops/restore-row.js';
import type { Store } from '../../src/ops/store.js';
import { updateRow } from '../../src/ops/update-row.js';
import { assertStorable, encodeJson, type JsonObject, type JsonValue } from '../../src/schema/json.js';
import { caller, type ScratchTable } from '../ops/scratch-table.js';

export type RowCommand =
  | { readonly op: 'create'; readonly data: JsonObject }
  | { readonly op: 'merge' | 'replace'; readonly row: number; readonly data: JsonObject }
  | { readonly op: 'delete'; readonly row: number }
  | { readonly op: 'restore'; readonly row: number; readonly version: number };

/** The rows that commands name: made in this order, so that a number names a row. */
export function idOf(row: number): string {
  return `00000000-0000-4000-8000-${String(row).padStart(12, '0')}`;
}

const key = fc.oneof(
  fc.constantFrom('a', 'b', 'c', '10', '9', '__proto__', 'constructor', '', 'with "quotes"', 'é😀'),
  fc.string({ unit: 'grapheme', maxLength: 5 }).filter((text) => !['title', 'body', 'count'].includes(text)),
);
const longText = fc
  .array(fc.constantFrom('line one\n', 'and another, longer. ', '😀', 'x', '"quoted\\"'), {
    minLength: 20,
    maxLength: 60,
  })
  .map((parts) => parts.join(''));

/** Any value that a row may hold. */
export const storableValue: fc.Arbitrary<JsonValue> = fc
  .oneof(
    { weight: 4, arbitrary: fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 2 }) as fc.Arbitrary<JsonValue> },
    { weight: 1, arbitrary: longText },
  )
  .filter(isStorable);

const members = fc.array(fc.tuple(key, storableValue), { maxLength: 4 });
const title = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
  { weight: 1, arbitrary: fc.constant(null) },
);
const whole = fc.tuple(title, members).map(([text, rest]) => object([['title', text], ...rest]));
const part = fc
  .tuple(fc.option(title, { nil: undefined }), members)
  .map(([text, rest]) => object(text === undefined ? rest : [...rest, ['title', text]]));
const row = fc.integer({ min: 0, max: 4 });

export const rowCommand: fc.Arbitrary<RowCommand> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constant('create' as const), data: whole }) },
  { weight: 5, arbitrary: fc.record({ op: fc.constant('merge' as const), row, data: part }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('replace' as const), row, data: whole }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('delete' as const), row }) },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constant('restore' as const), row, version: fc.integer({ min: 1, max: 8 }) }),
  },
);

/** The store of a table with ids that count up. */
export function countingStore(table: ScratchTable): Store {
  let made = 0;
  return { ...table.store, newId: () => idOf(made++) };
}

/** What a caller sees of a command: the JSON of its result, or the error's code. */
export async function runCommand(store: Store, command: RowCommand, key?: string): Promise<string> {
  try {
    return encodeJson(await result(store, command, key === undefined ? {} : { idempotency_key: key }));
  } catch (error) {
    if (isStoreError(error)) return error.code;
    throw error;
  }
}

function result(store: Store, command: RowCommand, more: { idempotency_key?: string }): Promise<unknown> {
  switch (command.op) {
    case 'create':
      return createRow(store, { data: command.data, ...more }, caller);
    case 'merge':
    case 'replace':
      return updateRow(store, { id: idOf(command.row), data: command.data, mode: command.op, ...more }, caller);
    case 'delete':
      return deleteRow(store, { id: idOf(command.row), ...more }, caller);
    case 'restore':
      return restoreRow(store, { id: idOf(command.row), version: command.version, ...more }, caller);
  }
}

interface ModelRow {
  readonly id: string;
  live: Map<string, string> | null;
  version: number;
  readonly createdAt: number;
  updatedAt: number;
  place: number;
  readonly past: Map<number, Map<string, string>>;
}

/** Rows as the documents describe them, with no log, no SQL and no patches. */
export class RowModel {
  readonly #rows = new Map<string, ModelRow>();
  #made = 0;
  #places = 0;

  run(command: RowCommand, now: number): string {
    if (command.op === 'create') return this.#create(command.data, now);
    const found = this.#rows.get(idOf(command.row));
    if (found === undefined || (found.live === null && command.op !== 'restore')) return 'NOT_FOUND';
    if (command.op === 'restore') return this.#restore(found, command.version, now);
    if (command.op === 'delete') return this.#delete(found);
    return this.#change(found, command, now);
  }

  list(): string[] {
    const live = [...this.#rows.values()].filter((each) => each.live !== null);
    return live.sort((a, b) => b.createdAt - a.createdAt || b.place - a.place).map(shown);
  }

  #create(data: JsonObject, now: number): string {
    // An id is made before the command is decided, but not for data that is refused at once.
    const text = membersOf(data);
    if (!isValid(text)) return 'VALIDATION_ERROR';
    const id = idOf(this.#made++);
    const past = new Map([[1, text]]);
    const made = { id, live: text, version: 1, createdAt: now, updatedAt: now, place: this.#places++, past };
    this.#rows.set(id, made);
    return shown(made);
  }

  #change(found: ModelRow, { op, data }: { op: string; data: JsonObject }, now: number): string {
    const after = op === 'replace' ? membersOf(data) : new Map(found.live);
    if (op === 'merge') {
      for (const [key, value] of membersOf(data)) {
        if (value === 'null') after.delete(key);
        else after.set(key, value);
      }
    }
    if (!isValid(after)) return 'VALIDATION_ERROR';
    return this.#become(found, after, now);
  }

  #restore(found: ModelRow, version: number, now: number): string {
    const text = found.past.get(version);
    if (text === undefined) return 'NOT_FOUND';
    if (found.live === null) found.place = this.#places++;
    return this.#become(found, text, now);
  }

  #become(found: ModelRow, text: Map<string, string>, now: number): string {
    found.live = text;
    found.updatedAt = now;
    found.past.set(++found.version, text);
    return shown(found);
  }

  #delete(found: ModelRow): string {
    found.past.set(++found.version, found.live ?? new Map());
    found.live = null;
    return JSON.stringify({ deleted: found.id });
  }
}

function shown({ id, live, createdAt, updatedAt, version }: ModelRow): string {
  const data = [...(live ?? [])].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',');
  return `{"id":"${id}","data":{${data}},"created_at":${createdAt},"updated_at":${updatedAt},"version":${version}}`;
}

function isValid(text: ReadonlyMap<string, string>): boolean {
  return text.get('title')?.startsWith('"') === true;
}

function membersOf(data: JsonObject): Map<string, string> {
  return new Map(Object.keys(data).map((key) => [key, JSON.stringify(data[key])]));
}

/** An object with own members only, `__proto__` included. */
function object(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return Object.fromEntries(entries);
}

function isStorable(value: JsonValue): boolean {
  try {
    assertStorable(value);
    return true;
  } catch {
    return false;
  }
}
