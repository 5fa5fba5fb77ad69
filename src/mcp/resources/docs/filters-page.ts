/** `docs://filters`. Every example is parsed by a test against {@link exampleSchema}. */
import { filterJsonSchema } from '../../../schema/filter.js';
import type { TableSchema } from '../../../schema/table-schema.js';

/** The table that the examples of the documentation speak of. */
export const exampleSchema: TableSchema = {
  table: 'issues',
  title: null,
  description: null,
  fields: [
    { name: 'title', type: 'string', required: true, description: null },
    { name: 'state', type: 'string', required: false, description: null },
    { name: 'points', type: 'number', required: false, description: null },
    { name: 'open', type: 'boolean', required: false, description: null },
    { name: 'tags', type: 'array', required: false, description: null },
  ],
  dump: null,
  history: 'full',
};

interface ExampleFilter {
  readonly type: string;
  readonly [member: string]: unknown;
}

interface FilterExample {
  readonly about: string;
  readonly filter: ExampleFilter;
}

/** By the name that the predecessor's guide gives the form. */
export const filterExamples: Readonly<Record<string, FilterExample>> = {
  Eq: { about: 'the field has this value', filter: eq('state', 'open') },
  In: {
    about: 'the field has one of these values',
    filter: { type: 'in', field: 'points', values: [1, 2, 3] },
  },
  Like: {
    about: 'the text matches: `%` is any text, `_` any character; letter case of ASCII letters does not count',
    filter: { type: 'like', field: 'title', pattern: '%crash%' },
  },
  ArrayContains: { about: 'the array has this item', filter: { ...eq('tags', 'bug'), type: 'array_contains' } },
  ArrayNotContains: {
    about: 'the array lacks this item, or there is no array',
    filter: { ...eq('tags', 'wontfix'), type: 'array_not_contains' },
  },
  Or: { about: 'at least one of the filters holds', filter: any('or', [eq('state', 'open'), eq('open', true)]) },
  And: {
    about: 'all of the filters hold',
    filter: any('and', [
      eq('state', 'open'),
      any('or', [eq('points', 5), { type: 'like', field: 'title', pattern: 'Release%' }]),
    ]),
  },
};

export function filtersPage(): string {
  const forms = filterJsonSchema.properties.type.enum;
  return `# Filter Construction Guide

A filter is one JSON object. Its \`type\` is one of ${forms.map((form) => `\`${form}\``).join(', ')}. \`list\` takes it as \`filter\`, and so does whatever stores one (\`alias_create\`).

Fields must be declared in the schema; call \`info\` to see them. A value of another type than the field's never matches and never makes the query fail. Filters nest up to 32 deep, with at most 1,000 parts.

${Object.entries(filterExamples).map(form).join('\n')}`;
}

function form([name, { about, filter }]: [string, FilterExample]): string {
  return `## ${name}

\`${filter.type}\`: ${about}.

\`\`\`json
${JSON.stringify(filter)}
\`\`\`
`;
}

function eq(field: string, value: string | number | boolean) {
  return { type: 'eq', field, value };
}

function any(type: 'or' | 'and', filters: readonly ExampleFilter[]) {
  return { type, filters };
}
