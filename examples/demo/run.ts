/**
 * A guided run of the main job, in a directory of its own: an independent MCP client starts the built server, imports
 * issues, edits and deletes some, brings them back; then the command line proves and rebuilds what happened.
 *
 * `npm run demo`, or `npm run demo -- FILE.jsonl` for issues of your own: one JSON object a line with at least a title.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const here = dirname(fileURLToPath(import.meta.url));
const program = resolve(here, '../../dist/main.js');
const source = resolve(process.argv[2] ?? join(here, '../data/issues.jsonl'));
const workspace = mkdtempSync(join(tmpdir(), 'mini-app-demo-'));
const environment = { ...process.env, MINI_APP_USER_DIR: '', MINI_APP_PROJECT_DIR: '.mini-app', MINI_APP_LOG: 'error' };

interface Row {
  id: string;
  data: Record<string, unknown>;
  version: number;
}

let step = 0;

await main();

async function main(): Promise<void> {
  cpSync(join(here, 'issues'), join(workspace, '.mini-app', 'issues'), { recursive: true });
  say(`A project directory: ${workspace}`, `.mini-app/issues/schema.yaml says what an issue is.`);

  const client = await connect();
  const rows = await importIssues(client);
  await editAndRestore(client, rows);
  await findSome(client);
  await client.close();

  proveAndRebuild(rows);
  showMarkdown(rows);
  say('That was all', `Look around in ${workspace}; delete it when you are done.`);
}

async function connect(): Promise<Client> {
  const client = new Client({ name: 'demo', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, '--mcp'],
      cwd: workspace,
      env: strings(environment),
    }),
  );
  const { tools } = await client.listTools();
  say('An MCP client connects over stdio', `tools: ${tools.map((tool) => tool.name).join(' ')}`);
  return client;
}

async function importIssues(client: Client): Promise<Row[]> {
  const issues = readFileSync(source, 'utf8').split('\n').filter(Boolean).map(toIssue);
  const started = performance.now();
  const rows = await Promise.all(issues.map((data) => call<Row>(client, 'create', { table: 'issues', data })));
  const milliseconds = Math.round(performance.now() - started);
  say(`create × ${rows.length} from ${basename(source)}`, `${milliseconds} ms, every one durable and in the log`);
  return rows;
}

async function editAndRestore(client: Client, rows: readonly Row[]): Promise<void> {
  const [first, second] = rows;
  if (first === undefined || second === undefined) throw new Error('the demo needs two issues at least');
  const edited = await call<Row>(client, 'update', {
    table: 'issues',
    id: first.id,
    data: { state: 'done', closed: true },
  });
  say(
    'update merges',
    `${edited.id.slice(0, 8)} is now version ${edited.version}: ${JSON.stringify(edited.data.state)}`,
  );

  const stale = { table: 'issues', id: first.id, data: { state: 'open' }, expected_version: 1 };
  const refused = await call<{ code: string; hint: string }>(client, 'update', stale);
  say('A writer with an old version is refused', `${refused.code}: ${refused.hint}`);

  await call(client, 'delete', { table: 'issues', id: second.id });
  const restored = await call<Row>(client, 'row_restore', { table: 'issues', id: second.id, version: 1 });
  say('delete, then row_restore', `${restored.id.slice(0, 8)} is back as version ${restored.version}`);
}

async function findSome(client: Client): Promise<void> {
  const filter = { type: 'eq', field: 'state', value: 'open' };
  const fields = { mode: 'list', fields: ['title'] };
  const open = await call<Row[]>(client, 'list', { table: 'issues', filter, fields, limit: 3 });
  say('list with a filter', ...open.map((row) => `${row.id.slice(0, 8)}  ${String(row.data.title)}`));
}

function proveAndRebuild(rows: readonly Row[]): void {
  say('mini-app-mcp log issues --row … : who did what', run('log', 'issues', '--row', rows[1]?.id ?? ''));
  say('mini-app-mcp verify issues : chain, sequence, and every projection against its replay', run('verify', 'issues'));
  say('mini-app-mcp rebuild issues : the table again, from nothing but the log', run('rebuild', 'issues'));
}

function showMarkdown(rows: readonly Row[]): void {
  const directory = join(workspace, 'issues');
  const file = `${rows[0]?.id}.md`;
  const text = readFileSync(join(directory, file), 'utf8');
  say(
    `Markdown for git: ${readdirSync(directory).length} files, for example issues/${file}`,
    ...text.split('\n').slice(0, 6),
  );
}

async function call<T>(client: Client, name: string, args: Record<string, unknown>): Promise<T> {
  const result = await client.callTool({ name, arguments: args });
  const [content] = result.content as { text: string }[];
  return JSON.parse(content?.text ?? 'null') as T;
}

function run(...args: string[]): string {
  return execFileSync(process.execPath, [program, ...args], {
    cwd: workspace,
    env: environment,
    encoding: 'utf8',
  }).trimEnd();
}

/** An issue of any tracker as a row of the demo's table: what the schema does not know is kept as it is. */
function toIssue(line: string): Record<string, unknown> {
  const issue = JSON.parse(line) as Record<string, unknown>;
  const { description, status, issue_type: kind, id, priority, ...rest } = issue;
  return {
    ...rest,
    ...(id === undefined ? {} : { tracker_id: id }),
    title: issue.title,
    state: issue.state ?? status ?? 'open',
    ...(issue.body === undefined && description !== undefined ? { body: description } : {}),
    ...(issue.tags === undefined && kind !== undefined ? { tags: [kind] } : {}),
    ...(typeof priority === 'number' ? { priority } : {}),
  };
}

function strings(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function say(title: string, ...lines: string[]): void {
  const text = lines.flatMap((line) => line.split('\n')).map((line) => `   ${line}`);
  process.stdout.write(`\n${++step}. ${title}\n${text.join('\n')}\n`);
}
