/** `backlog.md`: tasks as Markdown files in a git repository. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { textOf } from '../client/tool-client.js';
import { data } from '../product.js';
import { installed } from './install.js';
import type { Peer } from './peer.js';

export const backlog: Peer = {
  name: 'backlog.md',
  async prepare(directory) {
    const program = join(await installed('backlog.md'), 'backlog');
    execFileSync('git', ['init', '-q', directory]);
    execFileSync(program, ['init', 'bench', '--defaults'], { cwd: directory, stdio: 'ignore' });
    return { program, args: ['mcp', 'start'], cwd: directory, quiet: true };
  },
  create: (index) => ({ tool: 'task_create', args: { title: `${data.title} ${index}`, description: data.body } }),
  update: (index, created) => ({ tool: 'task_edit', args: { id: idOf(created), title: `state ${index}` } }),
  get: (_, created) => ({ tool: 'task_view', args: { id: idOf(created) } }),
};

function idOf(created: unknown): string {
  const [id] = /task-\d+/i.exec(textOf(created)) ?? [];
  if (id === undefined) throw new Error(`no id in '${textOf(created).slice(0, 200)}'`);
  return id;
}
