/** Hints are written for the callers of tools. At a prompt there is no tool to call, so they are put in its words. */
import type { StoreError } from '../errors.js';

/** What somebody at a prompt does about an error. */
export function promptHint({ code, fields, hint }: StoreError): string {
  if ('tables' in fields && Array.isArray(fields.tables))
    return fields.tables.length === 0 ? noTable : 'Name one of them.';
  if (code === 'TABLE_NOT_FOUND' && hint.startsWith('No table is mounted')) return noTable;
  if (code === 'VALIDATION_ERROR' && hint.includes('Call info')) return 'The command with --help shows its options.';
  return hint
    .replace(' Call reload to look for new ones.', '')
    .replace(', then call reload.', '.')
    .replace(', then repeat the call.', '.');
}

/** Said also where finding nothing is no error, so that a command in the wrong directory does not pass for a good one. */
export const noTable =
  'There is no table in MINI_APP_PROJECT_DIR (./.mini-app) or MINI_APP_USER_DIR (~/.mini-app). Is this the right directory?';
