import { expect, test } from 'vitest';
import { StdioClient } from '../../bench/client/stdio-client.js';
import { bundled } from '../../bench/floor/bundled.js';
import { tempDir } from '../helpers/temp-dir.js';

test('the client of the benchmarks talks to a bundled server and fails on an error', async () => {
  const client = await StdioClient.connect({ args: [await bundled('no-op-server.ts')], cwd: tempDir() });
  expect(await client.call('no_op', { text: 'x' })).toMatchObject({ content: [{ type: 'text', text: 'null' }] });
  await expect(client.call('no_op', { text: 1 })).rejects.toThrow('no_op');
  await expect(client.call('unknown', {})).rejects.toThrow('unknown');
  if (process.platform === 'linux') expect(client.memory().peak).toBeGreaterThanOrEqual(client.memory().now);
  await client.close();
  await expect(client.request('ping', {})).rejects.toThrow();
});
