/** What `resources/list` and `resources/templates/list` answer. */
import type { Registry, Table } from '../../tables/table.js';
import { type DocsPage, docsPages, type SchemaForm, schemaForms, schemaUri } from './resource-uri.js';
import { defaultTable } from './tables-by-uri.js';

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
}

export interface ListedTemplate extends Omit<ListedResource, 'uri'> {
  readonly uriTemplate: string;
}

interface Described {
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
}

export const schemaResources: Readonly<Record<SchemaForm, Described>> = {
  yaml: {
    name: 'Schema YAML',
    description: 'The schema.yaml of the table as it is on disk now',
    mimeType: 'application/yaml',
  },
  json: {
    name: 'Schema JSON',
    description: 'The mounted schema of the table with the keys that info shows',
    mimeType: 'application/json',
  },
  'json-schema': {
    name: 'JSON Schema',
    description: 'JSON Schema (draft-07) to check data against before create and update',
    mimeType: 'application/schema+json',
  },
};

const markdown = 'text/markdown';

export const docsResources: Readonly<Record<DocsPage, Described>> = {
  quickstart: {
    name: 'Quickstart',
    description: 'Which mode, which first calls, what to read next',
    mimeType: markdown,
  },
  tools: { name: 'Tools Reference', description: 'Every tool with its arguments and hints', mimeType: markdown },
  errors: { name: 'Error Code Reference', description: 'Every error code and what to do about it', mimeType: markdown },
  filters: {
    name: 'Filter Construction Guide',
    description: 'Every form of a filter, with examples',
    mimeType: markdown,
  },
  'order-by': {
    name: 'ORDER BY Reference',
    description: 'Sort keys, their defaults, where they apply',
    mimeType: markdown,
  },
};

/** Three forms per mounted table, the default one first, then the documentation. One page, no cursor. */
export function listResources(registry: Registry): ListedResource[] {
  const preferred = defaultTable(registry);
  const others = registry.tables().filter((table) => table.name !== preferred?.name);
  return [
    ...(preferred === null ? [] : formsOf(preferred, '')),
    ...others.flatMap((table) => formsOf(table, ` (${table.name})`)),
    ...docsPages.map((page) => ({ uri: `docs://${page}`, ...docsResources[page] })),
  ];
}

export function listTemplates(): ListedTemplate[] {
  return schemaForms.map((form) => {
    const { name, description, mimeType } = schemaResources[form];
    return { uriTemplate: `schema://${form}{?table}`, name: `${name} of a table`, description, mimeType };
  });
}

function formsOf(table: Table, suffix: string): ListedResource[] {
  return schemaForms.map((form) => {
    const { name, description, mimeType } = schemaResources[form];
    return { uri: schemaUri(form, table.name), name: `${name}${suffix}`, description, mimeType };
  });
}
