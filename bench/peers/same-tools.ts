/** Servers with this project's tools: itself, and any that PEER_CMD starts. */
import { textOf } from '../client/tool-client.js';
import { data, environment, layOut, program } from '../product.js';
import type { Peer } from './peer.js';

/** The command line is split at blanks. */
export function sameTools(name: string, commandLine: string): Peer {
  const [command = '', ...args] = commandLine.split(/\s+/);
  return {
    name,
    prepare(directory) {
      layOut(directory);
      const env = { ...environment(directory), RUST_LOG: 'error' };
      return { program: command, args, cwd: directory, env, quiet: true };
    },
    create: () => ({ tool: 'create', args: { table: 'issues', data } }),
    update: (index, created) => ({
      tool: 'update',
      args: { table: 'issues', id: idOf(created), data: { state: `state ${index}` } },
    }),
    get: (_, created) => ({ tool: 'get', args: { table: 'issues', id: idOf(created) } }),
  };
}

export const ourselves = sameTools('mini-app-mcp', `${process.execPath} ${program} --mcp`);

function idOf(created: unknown): string {
  return (JSON.parse(textOf(created)) as { id: string }).id;
}
