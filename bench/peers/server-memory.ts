/** `@modelcontextprotocol/server-memory`: a graph of entities, kept in one JSON Lines file that every change writes anew. */
import { join } from 'node:path';
import { data } from '../product.js';
import { installed } from './install.js';
import type { Peer } from './peer.js';

export const serverMemory: Peer = {
  name: 'server-memory',
  async prepare(directory) {
    const program = join(await installed('@modelcontextprotocol/server-memory'), 'mcp-server-memory');
    const env = { MEMORY_FILE_PATH: join(directory, 'memory.jsonl') };
    return { program, args: [], cwd: directory, env, quiet: true };
  },
  create: (index) => ({
    tool: 'create_entities',
    args: { entities: [{ name: `issue ${index}`, entityType: 'issue', observations: [data.title, data.body] }] },
  }),
  update: (index) => ({
    tool: 'add_observations',
    args: { observations: [{ entityName: `issue ${index}`, contents: [`state ${index}`] }] },
  }),
  get: (index) => ({ tool: 'open_nodes', args: { names: [`issue ${index}`] } }),
};
