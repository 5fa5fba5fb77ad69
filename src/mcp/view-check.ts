/** What has to be true of a binding before it is published, and what is only worth a warning. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import { type Binding, type DescribedSchemas, type ToolAnnotation, toolAnnotation } from './binding.js';
import { isAsynchronous, isOneWay } from './codec-check.js';
import type { Operation } from './contract.js';
import { type JsonSchema, type PortableSchema, portableInput, portableOutput } from './portable-schema.js';
import type { ProjectionProblem } from './projection-error.js';

/** A binding that passed. */
export interface CheckedBinding {
  readonly binding: Binding;
  /** A frozen copy: what was published is what was checked (P-1). */
  readonly annotation: ToolAnnotation;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | undefined;
}

export interface CheckedView {
  readonly checked: readonly CheckedBinding[];
  readonly problems: readonly ProjectionProblem[];
  readonly warnings: readonly string[];
}

/** Checks every binding of a view and reports everything that is wrong with it together (P-9). */
export function checkView(bindings: readonly Binding[]): CheckedView {
  const problems: ProjectionProblem[] = [];
  const checked: CheckedBinding[] = [];
  for (const binding of bindings) {
    const passed = checkBinding(binding, (reason) => problems.push(problemOf(binding, reason)));
    if (passed !== undefined) checked.push(passed);
  }
  problems.push(...repetitions(bindings, checked));
  const warnings = problems.length > 0 ? [] : checked.flatMap((item) => warningsOf(item.annotation));
  return { checked, problems, warnings };
}

/**
 * Does what is slow of {@link checkView} beforehand and lets others have their turn in between: thousands of schemas take
 * seconds.
 */
export async function checkInTurns(bindings: readonly Binding[]): Promise<void> {
  let turnEnds = performance.now() + turnMs;
  for (const { described, operation } of bindings) {
    if (described === undefined) schemasOf(operation);
    if (performance.now() < turnEnds) continue;
    await nextTurn();
    turnEnds = performance.now() + turnMs;
  }
}

/** In milliseconds. */
const turnMs = 20;

/** Takes bindings as passed. Their schemas are generated when a client lists them. */
export function trustView(bindings: readonly Binding[]): CheckedView {
  const checked = bindings.flatMap((binding) => {
    const annotation = binding.operation.annotations.get(toolAnnotation);
    return annotation === undefined ? [] : [new TrustedBinding(binding, annotation)];
  });
  return { checked, problems: [], warnings: [] };
}

class TrustedBinding implements CheckedBinding {
  #input: JsonSchema | undefined;
  #output: JsonSchema | undefined;

  constructor(
    readonly binding: Binding,
    readonly annotation: ToolAnnotation,
  ) {}

  get inputSchema(): JsonSchema {
    this.#input ??= portableInput(this.binding.operation.payload).schema;
    return this.#input;
  }

  get outputSchema(): JsonSchema | undefined {
    if (this.annotation.output !== 'json') return undefined;
    this.#output ??= portableOutput(this.binding.operation.success).schema;
    return this.#output;
  }
}

type Report = (reason: string) => void;

function checkBinding(binding: Binding, report: Report): CheckedBinding | undefined {
  checkIdentity(binding, report);
  const { described } = binding;
  const schemas = described === undefined ? schemasOf(binding.operation) : asDescribed(described);
  for (const reason of schemas.reasons) report(reason);
  const given = binding.operation.annotations.get(toolAnnotation);
  if (given === undefined) {
    report('it has no tool annotation');
    return undefined;
  }
  const annotation = Object.freeze({ ...given });
  checkAnnotation(annotation, report);
  if (annotation.output !== 'json') return { binding, annotation, inputSchema: schemas.input, outputSchema: undefined };
  for (const problem of schemas.output.problems) report(`success: ${problem}`);
  return { binding, annotation, inputSchema: schemas.input, outputSchema: schemas.output.schema };
}

function checkIdentity({ service, operation }: Binding, report: Report): void {
  if (!/^[^/\s]+(\/[^/\s]+)+$/.test(operation.id)) report('its id is not namespace/Name');
  if (!Number.isInteger(operation.version) || operation.version < 1)
    report('its version is not a whole number from 1 on');
  if (isBlank(service)) report('its service key is blank');
  if (operation.kind === 'stream') report('a stream operation cannot be a tool');
  if (operation.middleware !== undefined && operation.middleware.length > 0) report('it needs middleware');
}

interface CheckedSchemas {
  readonly input: JsonSchema;
  readonly output: PortableSchema;
  /** What is wrong with them. */
  readonly reasons: readonly string[];
}

/** They were checked where their codecs are. */
function asDescribed({ input, output = {} }: DescribedSchemas): CheckedSchemas {
  return { input, output: { schema: output, problems: [] }, reasons: [] };
}

/** An operation that cannot change is looked at once, however often it is published. */
const known = new WeakMap<Operation, CheckedSchemas>();

function schemasOf(operation: Operation): CheckedSchemas {
  const before = known.get(operation);
  if (before !== undefined) return before;
  const reasons: string[] = [];
  const schemas = { ...checkSchemas(operation, (reason) => reasons.push(reason)), reasons };
  if (Object.isFrozen(operation)) known.set(operation, schemas);
  return schemas;
}

/** Whether the output can be published matters only to tools that have one. */
function checkSchemas(operation: Operation, report: Report): { input: JsonSchema; output: PortableSchema } {
  const { payload, success, error } = operation;
  const input = checkPayload(payload, report);
  const output = checkEncoded('success', success, report);
  if (error !== undefined) checkEncoded('error', error, report);
  return { input, output };
}

function checkPayload(payload: z.ZodType, report: Report): JsonSchema {
  if (!isSchema(payload)) {
    report(`payload: ${notASchema}`);
    return {};
  }
  const { schema, problems } = portableInput(payload);
  for (const problem of problems) report(`payload: ${problem}`);
  if (isAsynchronous(payload, schema)) report('payload: it cannot be decoded synchronously');
  return schema;
}

function checkEncoded(part: 'success' | 'error', schema: z.ZodType, report: Report): PortableSchema {
  if (!isSchema(schema)) {
    report(`${part}: ${notASchema}`);
    return { schema: {}, problems: [] };
  }
  const output = portableOutput(schema);
  if (isOneWay(schema)) report(`${part}: a one-way transform cannot be encoded`);
  if (isAsynchronous(schema, output.schema, 'value')) report(`${part}: it cannot be encoded synchronously`);
  return output;
}

const notASchema = 'it is no schema of zod 4';

/** Plugins may be plain JavaScript, or bring another zod: the types promise nothing of what is checked here. */
function isSchema(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && '_zod' in schema;
}

function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

function checkAnnotation(annotation: ToolAnnotation, report: Report): void {
  const { name, title, description, output } = annotation;
  if (typeof name !== 'string' || !/^[A-Za-z0-9._-]{1,128}$/.test(name))
    report(`its tool name '${name}' is not allowed`);
  if (isBlank(title)) report('its title is blank');
  if (isBlank(description)) report('its description is blank');
  for (const hint of hints) if (typeof annotation[hint] !== 'boolean') report(`its ${hint} is not a boolean`);
  if (output !== 'json' && output !== 'void') report("its output is neither 'json' nor 'void'");
}

function repetitions(bindings: readonly Binding[], checked: readonly CheckedBinding[]): ProjectionProblem[] {
  const twice = repeated(bindings, (binding) => `${binding.service} ${identityOf(binding)}`);
  const sameName = repeated(checked, ({ annotation }) => annotation.name);
  return [
    ...twice.map((binding) => problemOf(binding, 'it is bound twice in this view')),
    ...sameName.map(({ binding, annotation }) =>
      problemOf(binding, `the tool name '${annotation.name}' is used twice`),
    ),
  ];
}

function repeated<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = keyOf(item);
    const isSeen = seen.has(key);
    seen.add(key);
    return isSeen;
  });
}

/** The limits of clients that a name or a description may meet (P-2). */
function warningsOf({ name, description }: ToolAnnotation): string[] {
  const warnings: string[] = [];
  if (name.includes('.')) warnings.push('Claude, Copilot, Codex and VS Code refuse names with a dot');
  if (name.length > 24) warnings.push('Cursor, Gemini and Claude Code cut or drop names over 24 characters');
  if (description.length > 1_900) warnings.push('Claude Code cuts descriptions over 1,900 characters');
  return warnings.map((warning) => `tool '${name}': ${warning}`);
}

function problemOf(binding: Binding, reason: string): ProjectionProblem {
  return { service: binding.service, operation: identityOf(binding), reason };
}

function identityOf(binding: Binding): string {
  return `${binding.operation.id}@${binding.operation.version}`;
}
