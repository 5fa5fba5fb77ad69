/** What a table takes from its definition, whether it is served or only rehearsed. */
import type { TableSchema } from '../schema/table-schema.js';
import type { Scope, TableDefinition } from './table.js';

export abstract class DefinedTable implements TableDefinition {
  readonly name: string;
  readonly scope: Scope;
  readonly schema: TableSchema;
  readonly schemaText: string;
  readonly schemaPath: string;
  readonly databasePath: string;
  readonly scopeRoot: string;

  constructor(definition: TableDefinition) {
    this.name = definition.name;
    this.scope = definition.scope;
    this.schema = definition.schema;
    this.schemaText = definition.schemaText;
    this.schemaPath = definition.schemaPath;
    this.databasePath = definition.databasePath;
    this.scopeRoot = definition.scopeRoot;
  }
}
