import { expect, it } from 'vitest';
import { z } from 'zod';
import { argumentErrorOf } from '../../src/mcp/arguments.js';

it('names what is missing in plain words', () => {
  const shape = z.object({
    any: z
      .unknown()
      .refine(() => true)
      .nonoptional(),
    id: z.string(),
    list: z.array(z.string()),
    of: z.object({}),
  });
  const result = shape.safeParse({});
  if (result.success) throw new Error('it parsed');
  expect(argumentErrorOf(result.error).issues).toEqual([
    { path: 'any', message: 'missing' },
    { path: 'id', message: 'missing, a string is required' },
    { path: 'list', message: 'missing, an array is required' },
    { path: 'of', message: 'missing, an object is required' },
  ]);
});
