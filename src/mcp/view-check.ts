/** What has to be true of a binding before it is published, and what is only worth a warning. */

import { type Binding, type ToolAnnotation, toolAnnotation } from './binding.js';
import { isOneWay, type JsonSchema, portableInput, portableOutput } from './portable-schema.js';
import type { ProjectionProblem } from './projection-error.js';

/** A binding that passed. */
export interface CheckedBinding {
  readonly binding: Binding;
  readonly annotation: ToolAnnotation;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | undefined;
}

export interface CheckedView {
  readonly checked: readonly CheckedBinding[];
  readonly problems: readonly ProjectionProblem[];
  readonly warnings: readonly string[];
}

/** Checks every binding of a view and reports everything that is wrong with it together. */
export function checkView(bindings: readonly Binding[]): CheckedView {
  const problems: ProjectionProblem[] = [];
  const checked: CheckedBinding[] = [];
  for (const binding of bindings) {
    const report = (reason: string) =>
      problems.push({ service: binding.service, operation: identityOf(binding), reason });
    const passed = checkBinding(binding, report);
    if (passed !== undefined) checked.push(passed);
  }
  problems.push(...repetitions(bindings, checked));
  return { checked, problems, warnings: checked.flatMap((item) => warningsOf(item.annotation)) };
}

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
  const { operation } = binding;
  const annotation = operation.annotations.get(toolAnnotation);
  if (annotation === undefined) {
    report('it has no tool annotation');
    return undefined;
  }
  checkAnnotation(annotation, report);
  const input = portableInput(operation.payload);
  const output = annotation.output === 'json' ? portableOutput(operation.success) : undefined;
  for (const problem of input.problems) report(`payload: ${problem}`);
  for (const problem of output?.problems ?? []) report(`success: ${problem}`);
  checkEncodable(binding, report);
  checkSynchronous(binding, report);
  return { binding, annotation, inputSchema: input.schema, outputSchema: output?.schema };
}

function checkIdentity(binding: Binding, report: Report): void {
  const { operation } = binding;
  if (!/^[^/\s]+\/[^/\s]+$/.test(operation.id)) report('its id is not namespace/Name');
  if (!Number.isInteger(operation.version) || operation.version < 1)
    report('its version is not a whole number from 1 on');
  if (binding.service.trim() === '') report('its service key is blank');
  if (operation.kind === 'stream') report('a stream operation cannot be a tool');
  if (operation.middleware !== undefined && operation.middleware.length > 0) report('it needs middleware');
}

function checkAnnotation(annotation: ToolAnnotation, report: Report): void {
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(annotation.name)) report(`its tool name '${annotation.name}' is not allowed`);
  if (annotation.title.trim() === '') report('its title is blank');
  if (annotation.description.trim() === '') report('its description is blank');
  for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const) {
    // Plugins may be plain JavaScript, where the type promises nothing.
    if (typeof annotation[hint] !== 'boolean') report(`its ${hint} is not a boolean`);
  }
}

function checkEncodable({ operation }: Binding, report: Report): void {
  if (isOneWay(operation.success)) report('success: a one-way transform cannot be encoded');
  if (operation.error !== undefined && isOneWay(operation.error))
    report('error: a one-way transform cannot be encoded');
}

/** A schema that decodes only asynchronously throws at the first synchronous use, whatever the value. */
function checkSynchronous(binding: Binding, report: Report): void {
  try {
    binding.operation.payload.safeParse({});
  } catch {
    report('payload: it cannot be decoded synchronously');
  }
}

function repetitions(bindings: readonly Binding[], checked: readonly CheckedBinding[]): ProjectionProblem[] {
  const problems: ProjectionProblem[] = [];
  const operations = new Set<string>();
  for (const binding of bindings) {
    const identity = `${binding.service} ${identityOf(binding)}`;
    if (operations.has(identity)) problems.push(problemOf(binding, 'it is bound twice in this view'));
    operations.add(identity);
  }
  const names = new Set<string>();
  for (const { binding, annotation } of checked) {
    if (names.has(annotation.name))
      problems.push(problemOf(binding, `the tool name '${annotation.name}' is used twice`));
    names.add(annotation.name);
  }
  return problems;
}

function warningsOf(annotation: ToolAnnotation): string[] {
  const warnings: string[] = [];
  if (annotation.name.includes('.')) {
    warnings.push(`tool '${annotation.name}': Claude, Copilot, Codex and VS Code refuse names with a dot`);
  }
  if (annotation.name.length > 24) {
    warnings.push(`tool '${annotation.name}': Cursor, Gemini and Claude Code cut or drop names over 24 characters`);
  }
  if (annotation.description.length > 1_900) {
    warnings.push(`tool '${annotation.name}': Claude Code cuts descriptions over 1,900 characters`);
  }
  return warnings;
}

function problemOf(binding: Binding, reason: string): ProjectionProblem {
  return { service: binding.service, operation: identityOf(binding), reason };
}

function identityOf(binding: Binding): string {
  return `${binding.operation.id}@${binding.operation.version}`;
}
