import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: ['./src/events/tables.ts', './src/projections/aliases/global-table.ts'],
  out: './drizzle/global',
});
