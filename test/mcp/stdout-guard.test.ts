import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const script = `
  const { guardStdout } = await import(${JSON.stringify(fileURLToPath(new URL('../../src/mcp/stdout-guard.ts', import.meta.url)))});
  const { log } = console;
  const output = guardStdout();
  console.log('stray log');
  console.info('stray info');
  console.table([{ a: 1 }]);
  log('kept reference');
  process.stdout.write('stray write\\n');
  output.write('{"protocol":true}\\n');
  await output.flushed();
`;

describe('guardStdout', () => {
  it('lets only the protocol reach stdout', () => {
    const run = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    expect(run.stdout).toBe('{"protocol":true}\n');
    for (const text of ['stray log', 'stray info', 'kept reference', 'stray write']) expect(run.stderr).toContain(text);
    expect(run.status).toBe(0);
  });
});
