/**
 * The alias stores of the mounted scopes. They open when aliases are first asked for, and only then are the aliases that
 * the predecessor kept in its tables copied into them; a reload looks for such aliases again.
 */
import { existsSync } from 'node:fs';
import { StoreError } from '../errors.js';
import { adoptStrays, migrateAliases } from './alias-migration.js';
import type { AliasScope, AliasStore, AliasStores } from './alias-stores.js';
import { GlobalDatabase, globalPath } from './global-database.js';
import type { MountContext } from './mount-context.js';
import type { Table } from './table.js';

export class ScopedAliasStores implements AliasStores {
  readonly #open = new Map<AliasScope, GlobalDatabase>();
  readonly #directories: ReadonlyMap<AliasScope, string>;
  #takenOver: Promise<void> | null = null;

  constructor(
    private readonly context: MountContext,
    private readonly tables: () => readonly Table[],
  ) {
    const { userDir, projectDir } = context.config;
    const directories = new Map<AliasScope, string>();
    if (projectDir !== null && projectDir !== userDir) directories.set('project', projectDir);
    if (userDir !== null) directories.set('user', userDir);
    this.#directories = directories;
  }

  async readable(): Promise<readonly AliasStore[]> {
    if (this.#directories.size === 0) return this.#ownStores();
    this.#takenOver ??= this.#takeOver();
    await this.#takenOver;
    const existing = [...this.#directories].filter(([, directory]) => existsSync(globalPath(directory)));
    return existing.map(([scope, directory]) => this.#database(scope, directory));
  }

  async writable(scope: AliasScope | undefined): Promise<AliasStore> {
    const [own] = this.#directories.size === 0 && scope === undefined ? this.#ownStores() : [];
    if (own !== undefined) return own;
    await this.readable();
    const chosen = scope ?? this.#defaultScope();
    const directory = this.#directories.get(chosen);
    if (directory === undefined) throw notMounted(chosen);
    return this.#database(chosen, directory);
  }

  /** The next question looks for aliases in the tables again. */
  tablesChanged(): void {
    this.#takenOver = null;
  }

  async close(): Promise<void> {
    const databases = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(databases.map((database) => database.close()));
  }

  #ownStores(): AliasStore[] {
    const legacy = this.tables().find((table) => table.scope === 'legacy');
    if (legacy === undefined) return [];
    const { log, aliases } = legacy.open();
    return [{ scope: 'legacy', log, aliases }];
  }

  #defaultScope(): AliasScope {
    const project = this.#directories.get('project');
    return project !== undefined && (existsSync(project) || !this.#directories.has('user')) ? 'project' : 'user';
  }

  #database(scope: AliasScope, directory: string): GlobalDatabase {
    const opened = this.#open.get(scope);
    if (opened?.hasMoved() === false) return opened;
    void opened?.close().catch((error: unknown) => this.context.log('warn', 'closing lost aliases failed', { error }));
    const database = GlobalDatabase.open(directory, scope, this.context.now);
    this.#open.set(scope, database);
    return database;
  }

  async #takeOver(): Promise<void> {
    for (const [scope, directory] of this.#directories) {
      try {
        await this.#takeOverScope(scope, directory);
      } catch (error) {
        this.context.log('warn', `older aliases of scope ${scope} cannot be taken over`, { error });
      }
    }
  }

  async #takeOverScope(scope: AliasScope, directory: string): Promise<void> {
    const tables = this.tables().filter((table) => table.scope === scope);
    const found = tables.flatMap((table) => this.#aliasesOf(table));
    if (found.length === 0 && !existsSync(globalPath(directory))) return;
    const database = this.#database(scope, directory);
    await adoptStrays(database, this.context.session);
    await migrateAliases(database, found, this.context.session);
  }

  #aliasesOf(table: Table) {
    try {
      return table
        .open()
        .aliases.list()
        .map((alias) => ({ table: table.name, alias }));
    } catch (error) {
      this.context.log('warn', `the aliases of table ${table.name} cannot be read`, { error });
      return [];
    }
  }
}

function notMounted(scope: AliasScope): StoreError<'CONFIG_ERROR'> {
  const name = scope === 'project' ? 'Project' : 'User';
  const variable = `MINI_APP_${name.toUpperCase()}_DIR`;
  const detail = `the scope ${name} is not mounted: ${variable} names no directory`;
  return new StoreError('CONFIG_ERROR', { detail, variable }, { hint: 'Leave scope out, or use the other one.' });
}
