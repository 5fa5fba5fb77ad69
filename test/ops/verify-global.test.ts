import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { currentVersion } from '../../src/events/catalogue.js';
import { verifyGlobal } from '../../src/ops/verify-global.js';
import { approveView, recordPublication } from '../../src/ops/view-records.js';
import { jsonText } from '../../src/schema/json.js';
import { GlobalDatabase, globalPath } from '../../src/tables/global-database.js';
import { tempDir } from '../helpers/temp-dir.js';

const caller = { actor: 'tester', origin: { tool: 'test', session: 's' } };
let path: string;

beforeEach(async () => {
  const directory = join(tempDir(), 'user');
  mkdirSync(directory);
  path = globalPath(directory);
  const database = GlobalDatabase.open(directory, 'user', Date.now);
  const nothing = {
    sources: null,
    aggregator: null,
    description: null,
    params_schema: null,
    fields: null,
    order_by: null,
  };
  for (const name of ['one', 'two']) {
    const body = jsonText({ name, filter: '{}', default_limit: null, ...nothing, sources: '{}' });
    const event = { type: 'alias.created', version: currentVersion('alias.created'), rowId: null, body };
    await database.log.append({ caller, decide: (tx) => void tx.append(event) });
  }
  const view = { view: 'public/v', managed: true, plugin: null, before: [], after: [] };
  const fact = { tag: 'mcp/tools' as const, revision: 1, digest: 'a'.repeat(64), ...view };
  await recordPublication(database, fact, caller, true);
  await approveView(database, { view: 'public/v' }, caller);
  await recordPublication(database, { ...fact, revision: 2, digest: 'b'.repeat(64) }, caller, false);
  await database.close();
});

function tamper(sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

async function failures(): Promise<Record<string, string | undefined>> {
  const { checks } = await verifyGlobal(path, { name: '_global (user)' });
  return Object.fromEntries(checks.filter(({ ok }) => !ok).map(({ name, first_difference: first }) => [name, first]));
}

describe('the global store', () => {
  it('is proven', async () => {
    expect(await verifyGlobal(path, { name: '_global (user)' })).toMatchObject({ ok: true, events: 5 });
  });

  it.each([
    ['UPDATE _views SET approved_digest = digest', { views: 'public/v is missing or differs from the log' }],
    ['DELETE FROM _views', { views: 'public/v is missing or differs from the log' }],
    [
      `UPDATE _global_aliases SET filter = '{"type":"all"}' WHERE name = 'two'`,
      { aliases: 'two is missing or differs from the log' },
    ],
  ])('shows what was changed past its log: %s', async (sql, expected) => {
    tamper(sql);
    expect(await failures()).toEqual(expected);
  });

  it('shows a forged event', async () => {
    tamper(
      `DROP TRIGGER _events_refuse_update; UPDATE _events SET actor = 'somebody else' WHERE type = 'view.approved'`,
    );
    expect(Object.keys(await failures())).toContain('chain');
  });
});
