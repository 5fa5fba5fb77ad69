import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: [
    './src/events/tables.ts',
    './src/projections/aliases/global-table.ts',
    './src/projections/views/global-table.ts',
  ],
  out: './drizzle/global',
});
