/** What `resources/read` answers, and how it fails (rulings 1.3). */
import { readFile } from 'node:fs/promises';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isStoreError } from '../../errors.js';
import type { Registry, Table } from '../../tables/table.js';
import type { Catalogue } from '../catalogue.js';
import { errorsPage } from './docs/errors-page.js';
import { filtersPage } from './docs/filters-page.js';
import { orderByPage } from './docs/order-by-page.js';
import { quickstartPage } from './docs/quickstart-page.js';
import { toolsPage } from './docs/tools-page.js';
import { draft07Of } from './json-schema.js';
import { docsResources, schemaResources } from './list-resources.js';
import { type DocsPage, parseResourceUri, type ResourceName, type SchemaForm, schemaUri } from './resource-uri.js';
import { tableOfUri } from './tables-by-uri.js';

export interface ResourceSources {
  readonly registry: Registry;
  readonly catalogue: Catalogue;
}

/** A type and not an interface, because the library's results are open. */
export type ReadResource = { contents: { uri: string; mimeType: string; text: string }[] };

/** JSON-RPC code of 2025 clients for a resource that is not there. */
export const resourceNotFound = ProtocolErrorCode.ResourceNotFound;

/** @throws ProtocolError -32002 for an unknown URI, -32603 with `data.code` for a table or file that cannot be had. */
export async function readResource(sources: ResourceSources, uri: string): Promise<ReadResource> {
  const { name, table } = findResource(sources, uri);
  const { mimeType } = name.kind === 'docs' ? docsResources[name.page] : schemaResources[name.form];
  const text = name.kind === 'docs' ? pageText(name.page, sources.catalogue) : await schemaText(name.form, table);
  return { contents: [{ uri, mimeType, text }] };
}

/** One URI per resource, however it was written. @throws as {@link readResource}. */
export function canonicalUri(sources: ResourceSources, uri: string): string {
  const { name, table } = findResource(sources, uri);
  return name.kind === 'docs' || table === null ? uri : schemaUri(name.form, table.name);
}

function findResource({ registry }: ResourceSources, uri: string): { name: ResourceName; table: Table | null } {
  const name = parseResourceUri(uri);
  if (name === null) {
    const hint = 'List the resources to see every URI.';
    throw new ProtocolError(resourceNotFound, `unknown resource URI: ${uri}`, { code: 'NOT_FOUND', uri, hint });
  }
  try {
    return { name, table: name.kind === 'docs' ? null : tableOfUri(registry, name.table) };
  } catch (error) {
    if (!isStoreError(error)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InternalError, error.message, error.toJSON());
  }
}

function pageText(page: DocsPage, catalogue: Catalogue): string {
  switch (page) {
    case 'quickstart':
      return quickstartPage;
    case 'tools':
      return toolsPage(catalogue.snapshot);
    case 'errors':
      return errorsPage();
    case 'filters':
      return filtersPage();
    case 'order-by':
      return orderByPage();
  }
}

async function schemaText(form: SchemaForm, table: Table | null): Promise<string> {
  if (table === null) return '';
  if (form === 'yaml') return readYaml(table);
  return JSON.stringify(form === 'json' ? table.schema : draft07Of(table.schema), null, 2);
}

async function readYaml(table: Table): Promise<string> {
  try {
    return await readFile(table.schemaPath, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new ProtocolError(ProtocolErrorCode.InternalError, `failed to read schema.yaml: ${reason}`, {
      code: 'IO_ERROR',
      table: table.name,
      hint: 'Put the file back or make it readable; without it the next reload unmounts the table.',
    });
  }
}
