/** A deep history and a long field, against the same write by hand. */
import { cpSync } from 'node:fs';
import Database from 'better-sqlite3';
import { createRow } from '../../src/ops/create-row.js';
import { replaceContent } from '../../src/ops/replace-content.js';
import { restoreRow } from '../../src/ops/restore-row.js';
import { updateRow } from '../../src/ops/update-row.js';
import { shared } from '../data/shared.js';
import { TextSource } from '../data/text.js';
import type { Contender, Figure } from '../figure.js';
import { byCallers, caller, data, databaseIn, withStore } from '../product.js';
import { medianTime } from '../timing.js';

const depth = 10_000;
const mebibyte = 1_048_576;

export const figures: Figure[] = [
  {
    name: 'restore-deep',
    metrics: { restore: { unit: 'ms' } },
    subject: restoring(`restore one of ${depth} versions from the archive`, depth),
    reference: restoring('restore one of 100 versions from the archive', 100),
    runs: 5,
  },
  {
    name: 'content-1mb',
    metrics: { replace: { unit: 'ms' } },
    subject: { name: 'content_replace in a field of 1 MiB', measure: replacing },
    reference: { name: 'UPDATE of the same row by hand, FULL', measure: replacingByHand },
    runs: 5,
  },
];

/** Versions far from both ends, so that they are archived and in different chunks. */
function restoring(name: string, versions: number): Contender {
  return {
    name,
    async measure(directory) {
      cpSync(await withVersions(versions), directory, { recursive: true });
      return withStore(directory, async (store) => {
        const [row] = store.registry.resolve('issues').open().rows.list({ limit: 1, offset: 0 });
        let version = Math.floor(versions / 3);
        const restore = () => restoreRow(store, { table: 'issues', id: row?.id ?? '', version: version++ }, caller);
        return { restore: await medianTime(20, restore) };
      });
    },
  };
}

function withVersions(versions: number): Promise<string> {
  return shared(`versions-${versions}`, (directory) =>
    withStore(directory, async (store) => {
      const { id } = await createRow(store, { table: 'issues', data }, caller);
      await byCallers(64, versions - 1, (index) =>
        updateRow(store, { table: 'issues', id, data: { state: `state ${index}` } }, caller),
      );
    }),
  );
}

const longRow = (mark: string) => ({ title: 'long', body: `${new TextSource(7).text(mebibyte)}${mark}` });

function replacing(directory: string) {
  return withStore(directory, async (store) => {
    const { id } = await createRow(store, { table: 'issues', data: longRow('<0>') }, caller);
    let index = 0;
    const replace = () => {
      const change = { old_str: `<${index++}>`, new_str: `<${index}>` };
      return replaceContent(store, { table: 'issues', id, field: 'body', ...change }, caller);
    };
    return { replace: await medianTime(30, replace) };
  });
}

async function replacingByHand(directory: string) {
  await withStore(directory, (store) => createRow(store, { table: 'issues', data: longRow('<0>') }, caller));
  const database = new Database(databaseIn(directory));
  database.pragma('synchronous = FULL');
  const update = database.prepare('UPDATE rows SET data = replace(data, ?, ?), version = version + 1');
  let index = 0;
  const replace = await medianTime(30, () => update.run(`<${index++}>`, `<${index}>`));
  database.close();
  return { replace };
}
