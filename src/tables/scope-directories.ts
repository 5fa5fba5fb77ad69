/** Where the tables of each scope stand, and tables outside the registry: about to be created, hidden, or rehearsed. */
import { StoreError } from '../errors.js';
import type { MountContext } from './mount-context.js';
import { MountedTable } from './mounted-table.js';
import { RehearsedTable } from './rehearsed-table.js';
import type { Scope, Table, TableDefinition, TableScopes } from './table.js';

export class ScopeDirectories implements TableScopes {
  constructor(private readonly context: MountContext) {}

  get backupRetention(): number {
    return this.context.config.backupRetention;
  }

  directory(scope: Exclude<Scope, 'legacy'>): string {
    const { userDir, projectDir } = this.context.config;
    const directory = scope === 'user' ? userDir : projectDir;
    if (directory !== null) return directory;
    const variable = scope === 'user' ? 'MINI_APP_USER_DIR' : 'MINI_APP_PROJECT_DIR';
    throw new StoreError('CONFIG_ERROR', { detail: `the ${scope} scope has no directory`, variable });
  }

  draft(definition: TableDefinition): Table {
    return new MountedTable(definition, this.context);
  }

  rehearsal(definition: TableDefinition): Table {
    return new RehearsedTable(definition, this.context);
  }
}
