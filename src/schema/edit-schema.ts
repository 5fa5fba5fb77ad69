/** Changing a `schema.yaml` that somebody wrote: what stays as it is keeps its comments, its order and its style. */
import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isNode, isScalar, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { parseSchema } from './parse-schema.js';
import { inOrder, quoteWhereNeeded, renderSchema, yamlText } from './render-schema.js';
import type { TableSchema } from './table-schema.js';

/** The text of `schema`, made from an earlier text of the file; without its comments where they cannot be kept. */
export function editSchema(text: string, schema: TableSchema): string {
  const edited = edit(text, schema);
  return edited !== null && isSchema(edited, schema) ? edited : renderSchema(schema);
}

function edit(text: string, schema: TableSchema): string | null {
  try {
    const document = parseDocument(text, { version: '1.2', schema: 'core', merge: false, resolveKnownTags: false });
    if (document.errors.length > 0 || !isMap(document.contents)) return null;
    const { fields, ...rest } = inOrder(schema);
    putAll(document, document.contents, rest);
    if (schema.indexes === undefined || schema.indexes.length === 0) document.contents.delete('indexes');
    putFields(document, document.contents, fields);
    return yamlText(document);
  } catch {
    return null;
  }
}

type Plain = Readonly<Record<string, unknown>>;

function putAll(document: Document, map: YAMLMap, values: Plain): void {
  for (const [key, value] of Object.entries(values)) put(document, map, key, value);
}

/** Leaves a member alone that has the value already; an absent one is null. */
function put(document: Document, map: YAMLMap, key: string, value: unknown): void {
  const node: unknown = map.get(key, true);
  if (node === undefined && value === null) return;
  if (isNode(node) && isDeepStrictEqual(node.toJS(document), value)) return;
  if (isScalar(node) && !isObject(value)) {
    node.value = value;
    delete node.source;
    delete node.format;
    quoteWhereNeeded(node);
  } else map.set(key, fresh(document, value));
}

function putFields(document: Document, map: YAMLMap, fields: readonly (Plain & { readonly name: string })[]): void {
  const sequence: unknown = map.get('fields', true);
  if (!isSeq(sequence)) {
    map.set('fields', fresh(document, fields));
    return;
  }
  const existing = fieldNodes(sequence);
  if (sequence.items.length === 0) sequence.flow = false;
  sequence.items = fields.map((field) => {
    const node = existing.get(field.name);
    if (node === undefined) return fresh(document, field);
    putAll(document, node, field.required === false && !node.has('required') ? without(field, 'required') : field);
    return node;
  });
}

function fieldNodes(sequence: YAMLSeq): Map<unknown, YAMLMap> {
  return new Map(sequence.items.filter((item) => isMap(item)).map((item) => [item.get('name'), item]));
}

function fresh(document: Document, value: unknown) {
  const node = document.createNode(value, { aliasDuplicateObjects: false });
  quoteWhereNeeded(node);
  return node;
}

function without(values: Plain, key: string): Plain {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== key));
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function isSchema(text: string, schema: TableSchema): boolean {
  try {
    return isDeepStrictEqual(inOrder(parseSchema(text, 'schema.yaml')), inOrder(schema));
  } catch {
    return false;
  }
}
