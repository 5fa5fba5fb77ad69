/** {@link TableSchema} to `schema.yaml`, in the key order of storage.md §5. The way back is `parse-schema.ts`. */
import { Document, isScalar, type Node, Scalar, visit } from 'yaml';
import type { TableSchema } from './table-schema.js';

/** YAML text that every YAML 1.1 or 1.2 reader takes for the same schema. Absent optional keys are written as null. */
export function renderSchema(schema: TableSchema): string {
  const document = new Document(inOrder(schema), { version: '1.2', schema: 'core', aliasDuplicateObjects: false });
  quoteWhereNeeded(document);
  return yamlText(document);
}

/** Gives every string below a node the style in which no reader can take it for anything else. */
export function quoteWhereNeeded(node: Document | Node): void {
  visit(node, {
    Scalar(key, node) {
      if (key === 'key' || !isScalar(node) || typeof node.value !== 'string') return;
      node.type = plain.test(node.value) && !special.test(node.value) ? Scalar.PLAIN : Scalar.QUOTE_DOUBLE;
    },
  });
}

export function yamlText(document: Document): string {
  return document.toString({ lineWidth: 0 }).replace(unsafe, escaped);
}

/** Anything else is quoted: then no reader can take it for another type, and every character survives. */
const plain = /^\p{L}[\p{L}\p{N}_-]*( [\p{L}\p{N}_-]+)*$/u;
const special = /^(y|n|yes|no|on|true|false|null)$/i;
/** Line breaks of YAML 1.1, and what some readers refuse as unprintable. They occur in quoted text only. */
const unsafe = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The schema as a plain value whose keys stand in the order of the file. */
export function inOrder(schema: TableSchema) {
  const { table, title, description, fields, dump, history, indexes = [] } = schema;
  return {
    table,
    title,
    description,
    fields: fields.map((field) => ({
      name: field.name,
      type: field.type,
      required: field.required,
      description: field.description,
    })),
    dump: dump && {
      dir: dump.dir,
      title_field: dump.title_field,
      body_field: dump.body_field,
      sync: dump.sync,
    },
    history,
    ...(indexes.length === 0 ? {} : { indexes: [...indexes] }),
  };
}
