/** A published view: its tools as clients see them, and what it takes to call one. */

import type { Binding, ToolAnnotation } from './binding.js';
import type { CallScope } from './call-scope.js';
import type { Contributor } from './contributor.js';
import type { JsonSchema } from './portable-schema.js';
import type { ViewRevision } from './publication.js';
import type { ResultText } from './results.js';

/** One tool of a view. */
export interface PublishedTool {
  readonly annotation: ToolAnnotation;
  readonly binding: Binding;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | undefined;
  readonly view: View;
}

/** One revision of a view. Revisions of one owner share the scope: calls end on what they began with (P-26). */
export interface View {
  readonly name: string;
  readonly revision: number;
  readonly text: ResultText;
  readonly scope: CallScope;
  /** The plugin that contributed it; the product's own views have none. */
  readonly contributor: Contributor | undefined;
  /** Of the tools' metadata and schemas; worked out at first use. */
  readonly digest: string;
  /** In the order in which they are listed. */
  readonly tools: readonly PublishedTool[];
  /** The newest revisions, this one last (P-27). */
  readonly history: readonly ViewRevision[];
}

/** Every live view at one moment. `revision` counts publications and withdrawals. */
export interface Snapshot {
  readonly revision: number;
  readonly views: ReadonlyMap<string, View>;
  readonly tools: ReadonlyMap<string, PublishedTool>;
}

/** What `tools/list` says of a tool. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

export function definitionOf(tool: PublishedTool): ToolDefinition {
  const { name, title, description, readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotation;
  return {
    name,
    title,
    description,
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
    annotations: { title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint },
  };
}

/** Whether clients see the same in both: what is bound behind it is not shown. */
export function isListedAs(before: View | null, after: View | null): boolean {
  const [old, current] = [before?.tools ?? [], after?.tools ?? []];
  if (old.length !== current.length) return false;
  return JSON.stringify(old.map(definitionOf)) === JSON.stringify(current.map(definitionOf));
}
