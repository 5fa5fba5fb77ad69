/** A store over real directories of both scopes, for the tests of what changes tables. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Caller } from '../../src/events/types.js';
import type { Store } from '../../src/ops/store.js';
import { loadConfig } from '../../src/tables/config.js';
import { TableRegistry } from '../../src/tables/registry.js';

export const caller: Caller = { actor: 'tester', origin: { tool: 'test', session: 'test' } };

export class ScopeStore implements Store {
  readonly directory: string;
  readonly registry: TableRegistry;
  readonly logged: string[] = [];
  /** Unix milliseconds; tests move it. */
  time = 1_780_000_000_000;

  constructor(options: { readonly directory?: string; readonly environment?: Record<string, string> } = {}) {
    this.directory = options.directory ?? mkdtempSync(join(tmpdir(), 'mini-app-'));
    const environment = {
      MINI_APP_USER_DIR: join(this.directory, 'user'),
      MINI_APP_PROJECT_DIR: join(this.directory, 'project'),
      ...options.environment,
    };
    this.registry = TableRegistry.mount({
      config: loadConfig(environment, this.directory),
      session: 'test',
      now: () => this.time,
      log: (_, message) => this.logged.push(message),
    });
  }

  now(): number {
    return this.time;
  }

  newId(): string {
    return randomUUID();
  }

  path(...parts: string[]): string {
    return join(this.directory, ...parts);
  }

  read(...parts: string[]): string {
    return readFileSync(this.path(...parts), 'utf8');
  }

  write(text: string, ...parts: string[]): void {
    mkdirSync(join(this.path(...parts), '..'), { recursive: true });
    writeFileSync(this.path(...parts), text);
  }

  /** Every file below the directory, with its bytes; SQLite's shared memory is no content. */
  files(): Record<string, string> {
    const names = readdirSync(this.directory, { recursive: true, encoding: 'utf8' }).sort();
    const paths = names
      .map((name) => this.path(name))
      .filter((path) => !path.endsWith('-shm') && statSync(path).isFile());
    return Object.fromEntries(paths.map((path) => [relative(this.directory, path), readFileSync(path, 'latin1')]));
  }

  /** The bodies of a table's `schema.changed` events. */
  async schemaEvents(table: string): Promise<{ before: string | null; after: string | null; origin: string }[]> {
    const events = await this.registry.resolve(table).open().log.readAfter(0, 10_000);
    return events
      .filter((event) => event.type === 'schema.changed')
      .map((event) => ({ ...JSON.parse(event.body), origin: JSON.parse(event.origin).tool }));
  }

  async close(): Promise<void> {
    await this.registry.close();
  }

  async dispose(): Promise<void> {
    await this.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export const relationsYaml = `# The edges of a graph.
table: relations
fields:
  - { name: from, type: string, required: true } # where it starts
  - { name: to, type: string, required: true }
  - { name: type, type: string, required: true }
  - { name: ts, type: number, required: true }
  - { name: strength, type: number }
  - { name: metadata, type: object }
  - { name: source_entry_id, type: string }
`;
