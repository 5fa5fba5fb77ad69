/** Create, update and get over stdio by 1 and by 32 callers at once; every write is on the disk when it is answered. */
import { StdioClient } from '../client/stdio-client.js';
import type { ToolClient } from '../client/tool-client.js';
import type { Contender, Figure } from '../figure.js';
import { bundled } from '../floor/bundled.js';
import { data, layOut, stdioServer } from '../product.js';
import { type Call, createRows, creating, getting, rate, updating } from '../work.js';

const rows = 32;

export const figures: Figure[] = [
  {
    name: 'stdio-create-1',
    metrics: { rate: { unit: 'per s' }, p50: { unit: 'ms' }, p99: { unit: 'ms' } },
    subject: ours('create, 1 caller, FULL', 1, 400, creating),
    reference: { name: 'insert by hand, 1 caller, FULL', measure: insertByHand },
    runs: 3,
    warmUp: false,
  },
  many('stdio-create-32', 'create', 3, 1_000, creating),
  many('stdio-update-32', 'update', undefined, 1_000, updating),
  many('stdio-get-32', 'get', undefined, 1_600, getting),
];

/** 32 callers against one, of the same call. */
function many(name: string, tool: string, minRatio: number | undefined, times: number, call: CallOn): Figure {
  return {
    name,
    metrics: { rate: { unit: 'per s', ...(minRatio === undefined ? {} : { minRatio }) }, p50: { unit: 'ms' } },
    subject: ours(`${tool}, 32 callers, FULL`, 32, times, call),
    reference: ours(`${tool}, 1 caller, FULL`, 1, times / 4, call),
    runs: 3,
    warmUp: false,
  };
}

type CallOn = (client: ToolClient, ids: readonly string[]) => Call;

function ours(name: string, callers: number, times: number, call: CallOn): Contender {
  return {
    name,
    async measure(directory) {
      layOut(directory);
      const client = await StdioClient.connect(stdioServer(directory));
      const sample = await rate(callers, times, call(client, await createRows(client, rows)));
      await client.close();
      return sample;
    },
  };
}

async function insertByHand(directory: string) {
  const client = await StdioClient.connect({ args: [await bundled('insert-server.ts')], cwd: directory });
  const sample = await rate(1, 400, () => client.call('insert', { data }));
  await client.close();
  return sample;
}
