/** What the other client asks for while one is measured; run by `load-client.ts`. */
import { TextSource } from '../data/text.js';
import { type ToolClient, textOf } from './tool-client.js';

type Load = (client: ToolClient) => Promise<unknown>;

export const loads = {
  aggregate: (client) =>
    client.call('query_aggregate', {
      sources: { kind: 'single', value: 'issues' },
      aggregator: { kind: 'group_by', by_field: 'state' },
    }),
  pages: (client) => client.call('list', { table: 'issues', limit: 1_000 }),
  snapshot: (client) => client.call('data_snapshot', { table: 'issues' }),
  archive: changesOfLargeRow(),
} satisfies Record<string, Load>;

export type LoadName = keyof typeof loads;

/** Past 64 versions each further one may roll old ones into the archive. */
function changesOfLargeRow(): Load {
  let id: string | null = null;
  let count = 0;
  return async (client) => {
    if (id === null) {
      const body = new TextSource(3).text(1_048_576);
      const created = await client.call('create', { table: 'issues', data: { title: 'large', body } });
      ({ id } = JSON.parse(textOf(created)) as { id: string });
      return;
    }
    await client.call('content_insert', { table: 'issues', id, field: 'body', line: 1, content: `change ${count++}` });
  };
}
