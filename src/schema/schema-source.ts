/** The YAML text of a schema: its value, and where in it things stand, for errors that name the line. */
import { type Document, isNode, LineCounter, parseDocument, type YAMLParseError, type YAMLWarning } from 'yaml';
import type { ZodError } from 'zod';
import { StoreError } from '../errors.js';

type Path = readonly PropertyKey[];

/** A schema is read at each mount and reload: what is larger than this is no schema. */
const maxLength = 1_048_576;
const maxAliases = 100;
const tooDeep = 'too deeply nested, or too many aliases';

/** YAML 1.2, core schema, one document. @throws StoreError SCHEMA_ERROR with the line, from 1, of what is no such YAML. */
export class SchemaSource {
  readonly value: unknown;
  readonly #file: string;
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;

  constructor(file: string, text: string) {
    this.#file = displayName(file);
    if (text.length > maxLength) throw this.#error(`the file is longer than ${maxLength} characters`, {});
    try {
      this.#document = this.#parse(text);
      this.value = this.#document.toJS({ maxAliasCount: maxAliases });
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw this.#error(tooDeep, { line: 1 });
    }
  }

  /** The error for the first issue of a shape that did not fit. */
  misshapen(error: ZodError): StoreError<'SCHEMA_ERROR'> {
    const issue = error.issues[0];
    return this.refused(issue?.path ?? [], issue?.message ?? 'has the wrong shape');
  }

  /** SCHEMA_ERROR at a path of the value. The reason continues the sentence that the path begins. */
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
