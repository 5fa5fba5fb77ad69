import { defineConfig } from 'vitest/config';

/** Where `.ci/run` wants the machine-readable report; unset in daily work. */
const report = process.env.VITEST_REPORT;
const common = { exclude: ['**/node_modules/**', 'test/fixtures/**'] };
const slow = { testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    environment: 'node',
    pool: 'forks',
    maxWorkers: 2,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    projects: [
      {
        extends: true,
        test: {
          ...common,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...common.exclude, 'test/properties/**', 'test/e2e/**'],
          testTimeout: 15_000,
        },
      },
      { extends: true, test: { ...common, ...slow, name: 'properties', include: ['test/properties/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          ...common,
          ...slow,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/e2e/global-setup.ts'],
        },
      },
    ],
  },
});
