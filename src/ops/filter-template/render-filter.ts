/** Filter templates: MiniJinja in, a filter's JSON out (rulings §2 "templates"). */
import type { Environment } from 'minijinja-js';
import { StoreError } from '../../errors.js';
import { assertStorable, type JsonObject, type JsonValue } from '../../schema/json.js';
import { TemplateFailure, withEnvironment } from './engine.js';
import { markOutputs, outputFilter } from './mark-outputs.js';
import { bareValue, jsonOf } from './output-value.js';
import { Placeholders } from './placeholders.js';

const maxTemplate = 20_000;
const maxParams = 1_000_000;
/** Of the filter's own text, and of the values in it; in characters. */
const maxRendered = 1_000_000;
const maxOutput = 8_000_000;
const tooLong = `the rendered filter is too long: it may have ${maxRendered} characters, and ${maxOutput} of values`;
/** The engine exhausts its stack on values that are nested thousands deep. */
const maxParamDepth = 64;

/** Parses a template without rendering it. @throws StoreError ALIAS_TEMPLATE_ERROR with the line. */
export function assertTemplate(template: string): void {
  prepared(template);
}

/**
 * Renders a template and puts the parameters in. Whatever characters a string parameter holds, it becomes the text of the
 * JSON string that the output stands in; outside of quotes only numbers, booleans, null and lists of scalars may stand.
 * @returns parsed JSON, which is not checked to be a filter.
 * @throws StoreError ALIAS_TEMPLATE_ERROR: syntax, a missing variable, an output in the place of a key, exhausted fuel;
 *   VALIDATION_ERROR, field `filter`: the rendered text is no JSON.
 */
export function renderFilter(template: string, params: JsonObject): JsonValue {
  const source = prepared(template);
  const context = cleaned(params);
  return reported(() => {
    const placeholders = new Placeholders();
    const rendered = render(source, context, placeholders);
    if (rendered.length > maxRendered || placeholders.length > maxOutput) throw new TemplateFailure(tooLong);
    return placeholders.resolve(rendered);
  });
}

function prepared(template: string): string {
  if (template.length > maxTemplate) throw templateError(`the template is longer than ${maxTemplate} characters`);
  assertStorable(template, 'filter_template');
  return reported(() => {
    withEnvironment((environment) => environment.addTemplate('<string>', template));
    const marked = markOutputs(template);
    if ('refused' in marked) throw new TemplateFailure(marked.refused);
    withEnvironment((environment) => environment.addTemplate('<string>', marked.source));
    return marked.source;
  });
}

function render(source: string, context: JsonObject, placeholders: Placeholders): string {
  let missing = false;
  // An exception in a filter would break the engine.
  const output = (value: unknown, text: unknown) => placeholders.keep({ text: String(text), value: bareValue(value) });
  const toJson = (value: unknown) => {
    const json = jsonOf(value);
    missing ||= json === undefined || (value === undefined && !holdsNull(context));
    return placeholders.keep({ text: JSON.stringify(json ?? null), value: json ?? null });
  };
  const rendered = withEnvironment((environment: Environment) => {
    environment.addFilter(outputFilter, output);
    environment.addFilter('tojson', toJson);
    return environment.renderStr(source, context);
  });
  if (missing) throw new TemplateFailure('undefined value: tojson got a variable that is not in params');
  return rendered;
}

/** The parameters as plain data: neither cycles nor functions nor depths that the engine cannot take. */
function cleaned(params: JsonObject): JsonObject {
  assertShallow(params);
  assertStorable(params, 'params');
  const text = JSON.stringify(params);
  if (text.length > maxParams) throw invalidParams(`must not be larger than ${maxParams} characters`);
  return JSON.parse(text) as JsonObject;
}

function assertShallow(params: JsonObject): void {
  let level: unknown[] = [params];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxParamDepth) throw invalidParams(`must not be nested deeper than ${maxParamDepth} levels`);
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
}

/** The engine does not tell null from undefined. */
function holdsNull(value: JsonValue): boolean {
  return value === null || (typeof value === 'object' && Object.values(value).some(holdsNull));
}

function reported<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof TemplateFailure) throw templateError(error.message, error.cause);
    if (!(error instanceof SyntaxError)) throw error;
    const reason = 'the rendered template is not valid JSON';
    throw new StoreError('VALIDATION_ERROR', { field: 'filter', reason }, { hint: jsonHint });
  }
}

const jsonHint = 'Write the template so that it renders one filter object, each text parameter inside double quotes.';

function templateError(detail: string, cause?: unknown): StoreError<'ALIAS_TEMPLATE_ERROR'> {
  return new StoreError('ALIAS_TEMPLATE_ERROR', { detail }, cause === undefined ? {} : { cause });
}

function invalidParams(reason: string): StoreError<'VALIDATION_ERROR'> {
  return new StoreError('VALIDATION_ERROR', { field: 'params', reason });
}
