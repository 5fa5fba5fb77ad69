import { expect, it } from 'vitest';
import { noTable, promptHint } from '../../src/cli/prompt-hint.js';
import { StoreError } from '../../src/errors.js';
import { loadConfig } from '../../src/tables/config.js';
import { TableRegistry } from '../../src/tables/registry.js';
import { tempDir } from '../helpers/temp-dir.js';

it('does not send somebody at a prompt to a tool', () => {
  const notFound = { hint: 'The mounted tables are: a, b. Call reload to look for new ones.' };
  expect(promptHint(new StoreError('TABLE_NOT_FOUND', { table: 'c' }, notFound))).toBe('The mounted tables are: a, b.');
  expect(promptHint(new StoreError('TABLE_REQUIRED', { tables: ['a'] }))).toBe('Name one of them.');
  expect(promptHint(new StoreError('VALIDATION_ERROR', { field: 'since', reason: 'x' }))).not.toContain('info');
  expect(promptHint(new StoreError('SCHEMA_ERROR', { detail: 'x' }))).not.toContain('reload');
});

it('says that there is no table, to people and to models, instead of pointing at an empty list', () => {
  const cwd = tempDir();
  const config = loadConfig({ MINI_APP_USER_DIR: '', HOME: cwd }, cwd);
  const registry = TableRegistry.mount({ config, session: 's', now: Date.now, log: () => undefined });
  for (const name of [undefined, 'notes']) {
    const error = failure(() => registry.resolve(name));
    expect(error.hint).toMatch(/^No table is mounted\. Make one with schema_create/);
    expect(promptHint(error)).toBe(noTable);
  }
});

function failure(run: () => unknown): StoreError {
  try {
    run();
  } catch (error) {
    if (error instanceof StoreError) return error;
  }
  throw new Error('it did not fail');
}
