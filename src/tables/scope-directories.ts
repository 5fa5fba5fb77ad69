/** Where the tables of each scope stand, and tables outside the registry: about to be created, hidden, or rehearsed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
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

  /** Whether one of the directories has a table of this name, mounted or not. */
  hasTable(name: string): boolean {
    if (/[/\\\0]|^\.*$/.test(name)) return false;
    const { userDir, projectDir } = this.context.config;
    return hasTableIn(userDir, name) || hasTableIn(projectDir, name);
  }

  /** Whether the project has a table that takes the place of the user's of this name, mounted or not. */
  overrides(name: string): boolean {
    const { userDir, projectDir } = this.context.config;
    return projectDir !== userDir && hasTableIn(projectDir, name);
  }

  draft(definition: TableDefinition): Table {
    return new MountedTable(definition, this.context);
  }

  rehearsal(definition: TableDefinition): Table {
    return new RehearsedTable(definition, this.context);
  }
}

function hasTableIn(root: string | null, name: string): boolean {
  return root !== null && existsSync(join(root, name, 'schema.yaml'));
}
