/** `schema.yaml` to {@link TableSchema} (storage.md §5). The way back is `render-schema.ts`. */
import { type Document, isNode, LineCounter, parseDocument, type YAMLParseError, type YAMLWarning } from 'yaml';
import { z } from 'zod';
import { StoreError } from '../errors.js';
import { fieldTypes, type TableSchema } from './table-schema.js';

/**
 * Reads YAML 1.2 (core schema; no tags of its own, no merge keys). Unknown keys are ignored.
 * @param file how the file is called in errors; of a longer path the last directory and the name are shown.
 * @throws StoreError SCHEMA_ERROR with file, line (from 1) and, where one is at fault, the field's path.
 */
export function parseSchema(text: string, file: string): TableSchema {
  const source = new SchemaSource(displayName(file), text);
  const parsed = shape.safeParse(source.value);
  if (!parsed.success) throw source.misshapen(parsed.error);
  const repeated = repeatedField(parsed.data);
  if (repeated !== null) throw source.refused(['fields', repeated, 'name'], 'must be unique: an earlier field has it');
  return parsed.data;
}

/** A schema is read at each mount and reload: what is larger than this is no schema. */
const maxLength = 1_048_576;
const maxAliases = 100;
const tooDeep = 'too deeply nested, or too many aliases';

const optionalText = z.string('must be a string or null').nullable().default(null);
const name = z.string('must be a string').min(1, 'must not be empty');

const fieldShape = z.object(
  {
    name,
    type: z.enum(fieldTypes, `must be one of ${fieldTypes.join(', ')}`),
    required: z.boolean('must be true or false').default(false),
    description: optionalText,
  },
  'must be a mapping with name and type',
);

const dumpShape = z.object(
  {
    dir: optionalText,
    title_field: optionalText,
    body_field: optionalText,
    sync: z.enum(['write-only', 'bidirectional'], 'must be write-only or bidirectional').nullable().default(null),
  },
  'must be a mapping or null',
);

// The keys of the result stand in this order.
const shape = z.object(
  {
    table: name,
    title: optionalText,
    description: optionalText,
    fields: z.array(fieldShape, 'must be a list of fields'),
    dump: dumpShape.nullable().default(null),
    history: z.enum(['full', 'off'], 'must be full or off').default('full'),
  },
  'must be a mapping with table and fields',
);

type Path = readonly PropertyKey[];

/** The parsed text, and where in it things stand. */
class SchemaSource {
  readonly value: unknown;
  readonly #file: string;
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;

  constructor(file: string, text: string) {
    this.#file = file;
    if (text.length > maxLength) throw this.#error(`the file is longer than ${maxLength} characters`, {});
    try {
      this.#document = this.#parse(text);
      this.value = this.#document.toJS({ maxAliasCount: maxAliases });
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw this.#error(tooDeep, { line: 1 });
    }
  }

  misshapen(error: z.ZodError): StoreError<'SCHEMA_ERROR'> {
    const issue = error.issues[0];
    return this.refused(issue?.path ?? [], issue?.message ?? 'has the wrong shape');
  }

  refused(path: Path, reason: string): StoreError<'SCHEMA_ERROR'> {
    const field = pathText(path);
    const got = valueAt(this.value, path);
    const detail = got === undefined && path.length > 0 ? `is missing; it ${reason}` : `${reason}; got ${shown(got)}`;
    return this.#error(field === '' ? `the file ${detail}` : `${field}: ${detail}`, {
      line: this.#lineOf(path),
      ...(field === '' ? {} : { field }),
    });
  }

  #parse(text: string): Document.Parsed {
    const document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      merge: false,
      resolveKnownTags: false,
      prettyErrors: false,
      logLevel: 'error',
      lineCounter: this.#lines,
    });
    // An unknown tag is only a warning there, but its value means something that we would not know.
    const problem = document.errors[0] ?? document.warnings.find((warning) => warning.code === 'TAG_RESOLVE_FAILED');
    if (problem === undefined) return document;
    throw this.#error(problemText(problem), { line: this.#lines.linePos(problem.pos[0]).line });
  }

  /** The line of the node at the path, or of the nearest one around it. */
  #lineOf(path: Path): number {
    for (let length = path.length; length > 0; length--) {
      const found: unknown = this.#document.getIn(path.slice(0, length), true);
      if (isNode(found) && found.range) return this.#lines.linePos(found.range[0]).line;
    }
    return 1;
  }

  #error(detail: string, place: { line?: number; field?: string }): StoreError<'SCHEMA_ERROR'> {
    const where = place.line === undefined ? this.#file : `${this.#file}:${place.line}`;
    return new StoreError('SCHEMA_ERROR', { detail: `${where}: ${detail}`, file: this.#file, ...place });
  }
}

function problemText(problem: YAMLParseError | YAMLWarning): string {
  if (problem.code === 'MULTIPLE_DOCS') return 'the file must hold one YAML document';
  return problem.code === 'RESOURCE_EXHAUSTION' || problem.message.includes('call stack') ? tooDeep : problem.message;
}

function repeatedField(schema: TableSchema): number | null {
  const names = schema.fields.map((field) => field.name);
  const index = names.findIndex((candidate, position) => names.indexOf(candidate) !== position);
  return index === -1 ? null : index;
}

function displayName(file: string): string {
  const parts = file.split(/[\\/]/).filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.slice(-2).join('/');
}

function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inside, part) => {
    if (typeof inside !== 'object' || inside === null) return undefined;
    return new Map<PropertyKey, unknown>(Object.entries(inside)).get(String(part));
  }, value);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.length > 40 ? `${value.slice(0, 40)}…` : value}'`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'a mapping' : String(value);
}
