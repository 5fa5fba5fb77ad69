/** The mounted tables by name: user scope, overridden by project scope, overridden by legacy mode. */
import { mkdirSync } from 'node:fs';
import { StoreError } from '../errors.js';
import { foldName } from '../schema/table-name.js';
import { ScopedAliasStores } from './alias-databases.js';
import type { Config } from './config.js';
import type { MountContext } from './mount-context.js';
import { MountedTable } from './mounted-table.js';
import { everyTable, failureOf, legacyTable, scanDirectory } from './scan.js';
import { ScopeDirectories } from './scope-directories.js';
import type { FailedTable, Registry, Reloaded, Table, TableDefinition } from './table.js';

/** Tables that a reload replaced stay open this long (milliseconds) for the calls that still use them. */
const retirement = 10_000;

interface Mounted {
  readonly tables: ReadonlyMap<string, MountedTable>;
  readonly failed: readonly FailedTable[];
}

export class TableRegistry implements Registry {
  /** Null until somebody asks for a table: a server answers its client's greeting before it has read every schema. */
  #scanned: Mounted | null = null;
  readonly #retired = new Set<MountedTable>();
  /** Tables whose database could not be opened. */
  readonly #broken = new Map<string, FailedTable>();
  #closed = false;
  readonly scopes: ScopeDirectories;

  /**
   * Mounts what the configuration names; the directories are read at the first question.
   * @throws StoreError when the table of legacy mode cannot be mounted: there would be nothing to serve.
   */
  static mount(context: MountContext): TableRegistry {
    const registry = new TableRegistry(context);
    registry.#createUserDirectory();
    if (context.config.legacy !== null) registry.#mountedNow();
    return registry;
  }

  readonly aliasStores: ScopedAliasStores;

  private constructor(private readonly context: MountContext) {
    this.scopes = new ScopeDirectories(context);
    this.aliasStores = new ScopedAliasStores(context, () => this.tables());
  }

  get config(): Config {
    return this.context.config;
  }

  resolve(name: string | undefined): Table {
    const { tables } = this.#mountedNow();
    const wanted = name ?? this.#defaultName();
    if (wanted === null)
      throw new StoreError('TABLE_REQUIRED', { tables: [...tables.keys()] }, this.#hintWithoutName());
    if (this.#isOutdated(wanted)) this.#remount();
    const table = this.#mountedNow().tables.get(wanted);
    if (table !== undefined) return table;
    throw new StoreError('TABLE_NOT_FOUND', { table: wanted }, this.#hintFor(wanted));
  }

  tables(): readonly Table[] {
    return [...this.#mountedNow().tables.values()];
  }

  failed(): readonly FailedTable[] {
    return [...this.#mountedNow().failed, ...this.#broken.values()];
  }

  /**
   * Opens what is not open yet, one table a turn of the event loop: databases are adopted and followers catch up without
   * waiting for the first call. A table that cannot be opened is reported, not fatal.
   */
  async warmUp(): Promise<void> {
    for (const table of this.#mountedNow().tables.values()) {
      if (this.#closed) return;
      this.#tryToOpen(table);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async reload(): Promise<Reloaded> {
    return this.#remount();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const tables = [...(this.#scanned?.tables.values() ?? []), ...this.#retired];
    await Promise.all([this.aliasStores, ...tables].map((part) => part.close()));
  }

  #remount(): Reloaded {
    const before = this.#mountedNow();
    const after = this.#scan();
    this.#scanned = after;
    this.aliasStores.tablesChanged();
    this.#broken.clear();
    this.#reportFailed();
    for (const table of after.tables.values()) this.#tryToOpen(table);
    for (const table of before.tables.values()) if (after.tables.get(table.name) !== table) this.#retire(table);
    return {
      mounted: after.tables.size,
      added: namesMissing(after, before),
      removed: namesMissing(before, after),
      failed: this.failed(),
    };
  }

  #mountedNow(): Mounted {
    if (this.#scanned !== null) return this.#scanned;
    this.#scanned = this.#scan();
    this.#reportFailed();
    return this.#scanned;
  }

  #scan(): Mounted {
    const { userDir, projectDir, legacy } = this.context.config;
    const scans = [
      ...(userDir === null ? [] : [scanDirectory(userDir, 'user')]),
      ...(projectDir === null || projectDir === userDir ? [] : [scanDirectory(projectDir, 'project')]),
      ...(legacy === null ? [] : [{ found: [legacyTable(legacy)], failed: [] }]),
    ];
    const failed = scans.flatMap((scan) => scan.failed);
    const chosen = new Map<string, TableDefinition>();
    for (const definition of scans.flatMap((scan) => scan.found)) this.#choose(chosen, definition, failed);
    const names = [...chosen.keys()].sort();
    return {
      failed,
      tables: new Map(names.map((name) => [name, this.#tableFor(chosen.get(name))] as const).filter(isTable)),
    };
  }

  /** A later scope replaces the same name wholly; two names that differ in case or normal form only are refused. */
  #choose(chosen: Map<string, TableDefinition>, definition: TableDefinition, failed: FailedTable[]): void {
    const { name, scope } = definition;
    const alike = [...chosen.keys()].find((other) => other !== name && foldName(other) === foldName(name));
    if (alike === undefined) {
      if (scope === 'legacy' && chosen.has(name))
        this.context.log('warn', `the table of MINI_APP_DB takes the place of table ${name} in the directories`, {
          name,
        });
      chosen.set(name, definition);
      return;
    }
    const message = `table name '${name}' differs from '${alike}' in letter case or normal form only`;
    failed.push({ table: name, scope, code: 'VALIDATION_ERROR', message });
  }

  /** Whether another process made, changed or deleted a table of this name since it was mounted here, or not. */
  #isOutdated(name: string): boolean {
    const { tables, failed } = this.#mountedNow();
    const table = tables.get(name);
    if (table !== undefined) return table.hasNewSchema();
    return !failed.some((other) => other.table === name) && this.scopes.hasTable(name);
  }

  #tableFor(definition: TableDefinition | undefined): MountedTable | null {
    if (definition === undefined) return null;
    const current = this.#scanned?.tables.get(definition.name);
    if (current?.isSameAs(definition)) return current;
    return new MountedTable(definition, this.context, () => this.#isOverridden(definition));
  }

  /** One of the project's that could not be mounted takes no place. */
  #isOverridden({ name, scope }: TableDefinition): boolean {
    if (scope !== 'user' || !this.scopes.overrides(name)) return false;
    return !this.#mountedNow().failed.some((other) => other.scope === 'project' && other.table === name);
  }

  #defaultName(): string | null {
    if (this.context.config.legacy === null) return null;
    const legacy = [...this.#mountedNow().tables.values()].find((table) => table.scope === 'legacy');
    return legacy?.name ?? null;
  }

  #hintFor(name: string): { hint?: string } {
    const failed = this.#mountedNow().failed.find((table) => table.table === name);
    if (failed !== undefined)
      return { hint: `The table could not be mounted: ${failed.message}. Correct it, then call reload.` };
    const names = [...this.#mountedNow().tables.keys()];
    if (names.length === 0) return { hint: noTableHint };
    return { hint: `The mounted tables are: ${names.slice(0, 20).join(', ')}. Call reload to look for new ones.` };
  }

  #hintWithoutName(): { hint?: string } {
    const { tables, failed } = this.#mountedNow();
    const unread = failed.find((scope) => scope.table === everyTable);
    if (unread !== undefined && tables.size === 0)
      return { hint: `No table is mounted: ${unread.message}. Correct that, then call reload.` };
    return tables.size === 0 ? { hint: noTableHint } : {};
  }

  #retire(table: MountedTable): void {
    this.#retired.add(table);
    const close = () => {
      this.#retired.delete(table);
      void table
        .close()
        .catch((error: unknown) => this.context.log('error', 'closing a replaced table failed', { error }));
    };
    setTimeout(close, retirement).unref();
  }

  #tryToOpen(table: MountedTable): void {
    try {
      table.open();
      this.#broken.delete(table.name);
    } catch (error) {
      const broken = failureOf(table.name, table.scope, error);
      this.#broken.set(table.name, broken);
      this.context.log('warn', `table ${table.name} cannot be opened: ${broken.message}`, { error });
    }
  }

  #createUserDirectory(): void {
    const { userDir } = this.context.config;
    if (userDir === null) return;
    try {
      mkdirSync(userDir, { recursive: true });
    } catch (error) {
      this.context.log('warn', 'the user directory cannot be created', { error });
    }
  }

  #reportFailed(): void {
    for (const { table, scope, code, message } of this.#mountedNow().failed) {
      const what = table === everyTable ? 'a scope' : `table ${table}`;
      this.context.log('warn', `${what} is skipped: ${message}`, { table, scope, code });
    }
  }
}

function namesMissing(inHere: Mounted, notThere: Mounted): string[] {
  return [...inHere.tables.keys()].filter((name) => !notThere.tables.has(name)).sort();
}

function isTable(entry: readonly [string, MountedTable | null]): entry is [string, MountedTable] {
  return entry[1] !== null;
}

const noTableHint = 'No table is mounted. Make one with schema_create, or write its schema.yaml and call reload.';
