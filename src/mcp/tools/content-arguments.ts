/** Arguments of the content tools. */
import { z } from 'zod';

/** Line numbers as clients of the predecessor can send them. */
const maxLine = 4_294_967_295;

/** A line number; 0 stands before the first line. */
export const line = z.int().min(0).max(maxLine);

export const fieldName = z.string().describe('Name of a string field');

/** First and last line. Published as an array, because clients refuse tuples. */
export const viewRange = z
  .array(line)
  .refine((range) => range.length === 2, 'must be [start, end]')
  .transform(([start = 0, end = 0]): [number, number] => [start, end])
  .optional();
