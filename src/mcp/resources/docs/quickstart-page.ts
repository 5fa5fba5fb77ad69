import { docsResources } from '../list-resources.js';
import { docsPages } from '../resource-uri.js';

const others = docsPages
  .filter((page) => page !== 'quickstart')
  .map((page) => `- \`docs://${page}\`: ${docsResources[page].description}.`)
  .join('\n');

/** `docs://quickstart`: for agents, not for people. */
export const quickstartPage = `# mini-app-mcp

Tables of JSON rows. Each table is shaped by a schema.yaml and kept in SQLite with a full history of every row.

## Which mode

Call \`info\` without arguments.

- **Multi-table mode**: the answer is the error \`TABLE_REQUIRED\`, whose \`tables\` names every mounted table. Pass \`table\` in every call.
- **Legacy single-table mode**: the answer describes the one default table. Leave \`table\` out.

## First calls

1. \`info\` with the table: fields, types, required flags, row count, an example of \`data\`.
2. \`list\` with the table: rows, newest first, 100 at a time. Narrow with \`filter\`, choose members with \`fields\`.
3. \`get\` with an id, or any prefix of it that only one row has.
4. \`create\`, \`update\`, \`delete\`. Update merges; \`null\` removes an optional field; mode \`replace\` stores exactly \`data\`.
5. \`row_restore\` undoes: an earlier time or version, deleted rows included.

Pass the \`version\` you read as \`expected_version\` when somebody else may write too, and an \`idempotency_key\` when a call may be sent twice.

## Read next

${others}
- \`schema://yaml?table=NAME\`, \`schema://json?table=NAME\`, \`schema://json-schema?table=NAME\`: the schema of a table. The list of resources names those of every mounted table.
`;
