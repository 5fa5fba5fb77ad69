/** What a publication is to those who have to account for it: what was published before and after, and what may be called. */
import { createHash } from 'node:crypto';
import type { ViewTool } from '../events/view-body.js';
import { canonicalJson } from '../schema/canonical-json.js';
import { encodeJson, parseJson } from '../schema/json.js';
import type { ToolAnnotation } from './binding.js';
import type { Contributor } from './contributor.js';
import type { CheckedBinding } from './view-check.js';

/** How many revisions of a view are kept in memory (P-27). */
export const historyLength = 32;

/** One tool as a revision has it. */
export interface ToolMetadata extends ToolAnnotation {
  readonly service: string;
  readonly operation: string;
  readonly version: number;
}

/** One publication of a view. */
export interface ViewRevision {
  readonly view: string;
  /** Counts from 1 for every owner of the name. */
  readonly revision: number;
  /** Unix milliseconds. */
  readonly at: number;
  readonly before: readonly ToolMetadata[];
  readonly after: readonly ToolMetadata[];
}

/** A revision that is about to be published. What is derived is worked out when asked for. */
export interface Publication {
  readonly revision: ViewRevision;
  /** The product's own view, whose schemas are not generated at start. */
  readonly trusted: boolean;
  readonly contributor: Contributor | undefined;
  readonly tools: readonly CheckedBinding[];
  /** See {@link digestOf}. */
  readonly digest: string;
}

/** Who keeps account of publications and decides which views may be called. */
export interface PublicationPolicy {
  /**
   * Called before the revision is published, which waits for it. A managed view's approval is asked for the new digest
   * from this moment on (P-34). A rejection keeps the old revision.
   */
  record(publication: Publication): Promise<void> | undefined;
  /** Called when the revision is in the snapshot, before anybody is told. */
  published(publication: Publication): void;
  /** Called when a revision was not published after all, recorded or not; the one before it, if any, stays. */
  abandoned(publication: Publication): void;
  /** Called when the view's calls have ended after its withdrawal. */
  withdrawn(view: string): void;
  /** Called for every new call. @throws StoreError APPROVAL_REQUIRED */
  admit(view: { readonly name: string; readonly digest: string }): void;
}

/** Nothing is recorded and everything admitted. */
export const openPolicy: PublicationPolicy = {
  record: () => undefined,
  published: () => undefined,
  abandoned: () => undefined,
  withdrawn: () => undefined,
  admit: () => undefined,
};

export function metadataOf({ binding, annotation }: CheckedBinding): ToolMetadata {
  const { name, title, description, readOnlyHint, destructiveHint, idempotentHint, openWorldHint, output } = annotation;
  return {
    service: binding.service,
    operation: binding.operation.id,
    version: binding.operation.version,
    name,
    title,
    description,
    readOnlyHint,
    destructiveHint,
    idempotentHint,
    openWorldHint,
    output,
  };
}

/** A tool with its schemas: what the digest is made of, and what a publication is recorded as. */
export function describedTool(tool: CheckedBinding): ViewTool {
  const { inputSchema, outputSchema } = tool;
  return {
    ...metadataOf(tool),
    inputSchema: { ...inputSchema },
    ...(outputSchema === undefined ? {} : { outputSchema: { ...outputSchema } }),
  };
}

/** SHA-256 in hex over the RFC 8785 JSON of the tools' metadata and schemas, in the order of their names (P-32). */
export function digestOf(tools: readonly CheckedBinding[]): string {
  const described = tools.map(describedTool).sort((one, other) => (one.name < other.name ? -1 : 1));
  return createHash('sha256')
    .update(canonicalJson(parseJson(encodeJson(described))))
    .digest('hex');
}
