import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: ['./src/events/tables.ts', './src/projections/*/table.ts'],
  out: './drizzle/table',
});
