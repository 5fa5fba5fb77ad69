import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { tempDir } from './helpers/temp-dir.js';

const script = fileURLToPath(new URL('../.ci/count.mjs', import.meta.url));

test('the last line holds the totals of the report', () => {
  expect(count([file('passed', ['passed', 'passed']), file('passed', ['passed'])])).toEqual(['3 passed, 0 failed', 0]);
});

test('skipped tests are told when there are any', () => {
  expect(count([file('passed', ['passed', 'skipped', 'todo'])])).toEqual(['1 passed, 0 failed, 2 skipped', 0]);
});

test('a failed test makes the run fail', () => {
  expect(count([file('failed', ['passed', 'failed'])], ['npm test'])).toEqual(['1 passed, 1 failed', 1]);
});

test('a test file that does not load counts as a failure', () => {
  expect(count([file('passed', ['passed']), file('failed', [])], ['npm test'])).toEqual(['1 passed, 1 failed', 1]);
});

test('a failed step counts even when every test passed', () => {
  expect(count([file('passed', ['passed'])], ['npm run check'])).toEqual(['1 passed, 1 failed', 1]);
  expect(count([file('passed', ['passed'])], ['npm test'])).toEqual(['1 passed, 1 failed', 1]);
});

test('no report at all is a failure', () => {
  expect(count(null, ['npm ci'])).toEqual(['0 passed, 1 failed', 1]);
  expect(count(null)).toEqual(['0 passed, 0 failed', 1]);
});

function file(status: string, results: string[]): object {
  return { name: 'x.test.ts', status, assertionResults: results.map((result) => ({ status: result })) };
}

function count(testResults: object[] | null, failedSteps: string[] = []): [lastLine: string, exitCode: number | null] {
  const report = join(tempDir(), 'report.json');
  if (testResults !== null) writeFileSync(report, JSON.stringify({ testResults }));
  const run = spawnSync(process.execPath, [script, report, ...failedSteps], { encoding: 'utf8' });
  return [run.stdout.trimEnd().split('\n').at(-1) ?? '', run.status];
}
