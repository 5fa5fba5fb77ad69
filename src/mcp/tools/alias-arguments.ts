/** Arguments that the alias tools share. */
import { z } from 'zod';

const maxCount = 4_294_967_295;

export const aliasName = z.string();

/** The largest count that clients of the predecessor can send. The op clamps a page to 1,000 rows. */
export const count = z.int().min(0).max(maxCount);
export const limit = count.meta({ maximum: 1_000 }).optional();

/** A value that the op parses; only its kind is published. */
export const openObject = z.unknown().meta({ type: 'object', additionalProperties: true });

/** `fields` and `order_by` as in list, whose schemas say more. */
export const likeList = {
  fields: openObject.optional(),
  order_by: z
    .unknown()
    .meta({ type: 'array', items: { type: 'object', additionalProperties: true } })
    .optional(),
};
