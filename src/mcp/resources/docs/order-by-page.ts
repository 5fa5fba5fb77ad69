/** `docs://order-by`. Every example is parsed by a test. */
import { sortColumns } from '../../../schema/order-by.js';

export const orderByExamples = {
  'One key; direction is asc when left out': [{ field: 'title' }],
  'Several keys, the first one first': [
    { field: 'state', direction: 'asc' },
    { field: 'points', direction: 'desc' },
  ],
  'A column of the row': [{ field: 'updated_at', direction: 'desc' }],
} as const;

export function orderByPage(): string {
  const columns = sortColumns.map((column) => `\`${column}\``).join(', ');
  return `# ORDER BY Reference

\`order_by\` is an array of \`{"field", "direction"}\`. A field is one of the schema, or one of the columns ${columns}; a field of the schema wins over a column of the same name. \`direction\` is \`asc\` or \`desc\`.

Without \`order_by\` rows come newest first by \`created_at\`; rows of one second in the reverse order of their insertion. Rows that the keys leave equal stand in that order too, so that pages never overlap.

\`list\` and \`alias_run\` take it; an alias can store one. An aggregate orders its own result and takes none.

${Object.entries(orderByExamples).map(example).join('\n')}`;
}

function example([about, keys]: [string, readonly unknown[]]): string {
  return `## ${about}

\`\`\`json
${JSON.stringify(keys)}
\`\`\`
`;
}
