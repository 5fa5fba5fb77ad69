/** The bodies of the events about published views: what was published, and what an operator approved. */
import { z } from 'zod';

const schema = z.record(z.string(), z.unknown());

/** One tool as it was published, with its schemas. */
export const viewToolShape = z.strictObject({
  service: z.string(),
  operation: z.string(),
  version: z.number().int(),
  name: z.string(),
  title: z.string(),
  description: z.string(),
  readOnlyHint: z.boolean(),
  destructiveHint: z.boolean(),
  idempotentHint: z.boolean(),
  openWorldHint: z.boolean(),
  output: z.enum(['json', 'void']),
  inputSchema: schema,
  outputSchema: schema.optional(),
});

/** A tool as it was published. */
export type ViewTool = z.infer<typeof viewToolShape>;

const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** A revision of a view, with the tools before it as metadata and those after it whole. */
export const viewPublishedShape = z.strictObject({
  view: z.string(),
  revision: z.number().int().min(1),
  digest,
  /** Whether its tools may be called only with an approval. */
  managed: z.boolean(),
  /** `name@version` of the plugin that contributed it. */
  plugin: z.string().nullable(),
  before: z.array(viewToolShape.omit({ inputSchema: true, outputSchema: true })),
  after: z.array(viewToolShape),
});

export type ViewPublished = z.infer<typeof viewPublishedShape>;

/** An operator's decision about what was published last. */
export const viewDecisionShape = z.strictObject({ view: z.string(), digest });

export type ViewDecision = z.infer<typeof viewDecisionShape>;
