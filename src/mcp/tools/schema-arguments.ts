/** Arguments that the schema tools have in common. The ops check the contents of a definition. */
import { z } from 'zod';

const text = z.string().optional();

/** The name of a table that may not exist yet. */
export const tableName = z.string().max(200);

export const scope = z.enum(['project', 'user']);

export const dryRun = z.boolean().describe('Only tell what it would do').optional();

/** What schema_create and schema_update take. */
export const definition = {
  table: tableName,
  scope,
  title: text,
  description: text,
  fields: z.array(z.unknown()).meta({
    items: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        type: { type: 'string', enum: ['string', 'number', 'boolean', 'array', 'object'] },
        required: { type: 'boolean' },
        description: { type: 'string' },
      },
      required: ['name', 'type'],
    },
  }),
  dump: z
    .unknown()
    .meta({ type: 'object', description: 'Markdown copies: dir, title_field, body_field', additionalProperties: true })
    .optional(),
  history: z.enum(['full', 'off']).optional(),
  indexes: z.array(z.string()).describe('Fields to index').optional(),
  dry_run: dryRun,
};
