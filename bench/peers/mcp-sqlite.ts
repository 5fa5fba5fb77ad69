/** `mcp-sqlite`: the tables of an SQLite file. It compiles its SQLite for minutes, so it has to be asked for. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Unavailable } from '../figure.js';
import { data } from '../product.js';
import { installed } from './install.js';
import type { Peer } from './peer.js';

export const mcpSqlite: Peer = {
  name: 'mcp-sqlite',
  async prepare(directory) {
    if (process.env.BENCH_COMPILE !== '1') throw new Unavailable('mcp-sqlite is compiled; BENCH_COMPILE=1 allows it');
    const program = join(await installed('mcp-sqlite'), 'mcp-sqlite-server');
    const path = join(directory, 'peer.db');
    const database = new Database(path);
    database.exec('CREATE TABLE issues (id INTEGER PRIMARY KEY, title TEXT, body TEXT, state TEXT)');
    database.close();
    return { program, args: [path], cwd: directory, quiet: true };
  },
  create: (index) => ({
    tool: 'create_record',
    args: { table: 'issues', data: { id: index + 1, title: data.title, body: data.body, state: data.state } },
  }),
  update: (index) => ({
    tool: 'update_records',
    args: { table: 'issues', data: { state: `state ${index}` }, conditions: { id: index + 1 } },
  }),
  get: (index) => ({ tool: 'read_records', args: { table: 'issues', conditions: { id: index + 1 } } }),
};
