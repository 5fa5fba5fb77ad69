/** The URIs of resources: which thing each of them names. */

export const schemaForms = ['yaml', 'json', 'json-schema'] as const;
export type SchemaForm = (typeof schemaForms)[number];

export const docsPages = ['quickstart', 'tools', 'errors', 'filters', 'order-by'] as const;
export type DocsPage = (typeof docsPages)[number];

export type ResourceName =
  /** Without a table: the default table. */
  | { readonly kind: 'schema'; readonly form: SchemaForm; readonly table: string | undefined }
  | { readonly kind: 'docs'; readonly page: DocsPage };

/** The resource of a URI; null when there is none. The first `table` of the query counts, everything else in it does not. */
export function parseResourceUri(uri: string): ResourceName | null {
  const at = uri.indexOf('?');
  const base = at === -1 ? uri : uri.slice(0, at);
  const page = docsPages.find((name) => base === `docs://${name}`);
  if (page !== undefined) return { kind: 'docs', page };
  const form = schemaForms.find((name) => base === `schema://${name}`);
  if (form === undefined) return null;
  return { kind: 'schema', form, table: at === -1 ? undefined : tableOf(uri.slice(at + 1)) };
}

export function schemaUri(form: SchemaForm, table: string): string {
  return `schema://${form}?table=${encodeURIComponent(table)}`;
}

function tableOf(query: string): string | undefined {
  const pair = query.split('&').find((part) => part.startsWith('table='));
  return pair?.slice('table='.length);
}
