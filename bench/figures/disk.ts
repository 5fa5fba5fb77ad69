/** What many small edits of a large row take on disk, against a copy of the row per edit. */
import { randomUUID } from 'node:crypto';
import { compactTable } from '../../src/ops/compact-table.js';
import { createRow } from '../../src/ops/create-row.js';
import { tableFileBytes } from '../../src/ops/doctor/bytes.js';
import { replaceContent } from '../../src/ops/replace-content.js';
import type { Store } from '../../src/ops/store.js';
import { updateRow } from '../../src/ops/update-row.js';
import { TextSource } from '../data/text.js';
import type { Contender, Figure } from '../figure.js';
import { openFloor } from '../floor/sqlite-floor.js';
import { caller, databaseIn, databaseOptions, withStore } from '../product.js';

const edits = 949;
const length = 178_000;
const limit = 2_000_000;

interface Edit {
  readonly id: string;
  /** The whole text after the edit. */
  readonly after: string;
  /** The sentence that goes, and the one that comes. */
  readonly old_str: string;
  readonly new_str: string;
}

const kinds: Record<string, (store: Store, edit: Edit) => Promise<unknown>> = {
  content_replace: (store, { id, old_str, new_str }) =>
    replaceContent(store, { table: 'issues', id, field: 'body', old_str, new_str }, caller),
  merge: (store, { id, after }) => updateRow(store, { table: 'issues', id, data: { body: after } }, caller),
  replace: (store, { id, after }) =>
    updateRow(store, { table: 'issues', id, data: { title: 'large', body: after }, mode: 'replace' }, caller),
};

export const figures: Figure[] = Object.entries(kinds).map(([kind, edit]) => ({
  name: `disk-${kind.replace('_', '-')}`,
  metrics: { 'after compact': { unit: 'bytes', max: limit }, 'when closed': { unit: 'bytes' } },
  subject: editing(`${edits} edits of a row of 178 kB, ${kind}`, edit),
  reference: { name: 'a copy per edit by hand', measure: (directory) => copies(directory) },
  runs: 1,
  warmUp: false,
}));

function editing(name: string, edit: (store: Store, edit: Edit) => Promise<unknown>): Contender {
  return {
    name,
    async measure(directory) {
      const schema = await withStore(directory, async (store) => {
        const changes = changesOf(new TextSource(11));
        const { id } = await createRow(
          store,
          { table: 'issues', data: { title: 'large', body: changes.first } },
          caller,
        );
        for (const change of changes.all()) await edit(store, { ...change, id });
        return store.registry.resolve('issues').schema;
      });
      const path = databaseIn(directory);
      const closed = tableFileBytes(path);
      await compactTable({ name: 'issues', schema, database: databaseOptions(path) }, { caller });
      return { 'when closed': closed, 'after compact': tableFileBytes(path) };
    },
  };
}

/** Each replaces about 60 characters, all different, somewhere in the text. */
function changesOf(source: TextSource) {
  const first = source.text(length);
  function* all(): Generator<Omit<Edit, 'id'>> {
    let text = first;
    for (let index = 0; index < edits; index++) {
      const old_str = uniqueStretch(text, source);
      const new_str = source.text(60);
      text = text.replace(old_str, () => new_str);
      yield { after: text, old_str, new_str };
    }
  }
  return { first, all };
}

function uniqueStretch(text: string, source: TextSource): string {
  for (;;) {
    const at = source.number(text.length - 60);
    const stretch = text.slice(at, at + 60);
    if (text.indexOf(stretch) === text.lastIndexOf(stretch)) return stretch;
  }
}

function copies(directory: string) {
  const database = openFloor(directory, 'OFF');
  const insert = database.prepare(
    "INSERT INTO _row_history (table_name, row_id, version, recorded_at, op, data_json) VALUES ('issues', ?, ?, 1, 'update', ?)",
  );
  const id = randomUUID();
  let version = 0;
  for (const { after } of changesOf(new TextSource(11)).all()) {
    insert.run(id, ++version, JSON.stringify({ title: 'large', body: after }));
  }
  database.close();
  const bytes = tableFileBytes(`${directory}/floor.db`);
  return { 'when closed': bytes, 'after compact': bytes };
}
