/** The body of the events that bring an alias into being: the columns of its row, text where the row has text. */
import { z } from 'zod';

const text = z.string().nullable();

/** `sources`, `aggregator`, `params_schema`, `fields` and `order_by` are JSON texts exactly as they are stored. */
export const aliasShape = z.strictObject({
  name: z.string(),
  /** Null in a table's own database, where the table is the source. */
  sources: text,
  aggregator: text,
  /** The filter as JSON; with a `params_schema` the text of a template. */
  filter: z.string(),
  default_limit: z.number().int().nullable(),
  description: text,
  /** A template without declared parameters has `[]`, so that the predecessor renders it too. */
  params_schema: text,
  fields: text,
  order_by: text,
});

/** An alias as it is stored. */
export type AliasColumns = z.infer<typeof aliasShape>;
