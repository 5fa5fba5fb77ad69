/**
 * Prints what a run amounts to: `N passed, N failed`, and `, N skipped` when there are any. The numbers are those of the
 * test runner's report; a test file that failed to load and a failed step without a failed test count as one failure
 * each. Usage: node count.mjs REPORT [FAILED-STEP ...]
 */
import { existsSync, readFileSync } from 'node:fs';

const [file = '', ...failedSteps] = process.argv.slice(2);
const totals = { passed: 0, failed: 0, skipped: 0 };
for (const testFile of testFiles(file)) count(testFile);
for (const step of failedSteps) countStep(step);

const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exitCode = totals.failed === 0 && totals.passed > 0 ? 0 : 1;

function testFiles(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).testResults : [];
}

function count({ name, status, message, assertionResults }) {
  for (const { status: result } of assertionResults)
    totals[result === 'passed' || result === 'failed' ? result : 'skipped']++;
  if (status !== 'failed' || assertionResults.some((test) => test.status === 'failed')) return;
  totals.failed++;
  console.log(`failed to run: ${name} ${message ?? ''}`);
}

function countStep(step) {
  console.log(`failed step: ${step}`);
  if (step !== 'npm test' || totals.failed === 0) totals.failed++;
}
