/** Plugins of the built program, through an independent client in this process and servers in others. */
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newDir, removeDir } from '../helpers/temp-dir.js';
import { HttpServer } from './http-server.js';
import { environment, program, Server, writeTable } from './server.js';

const examples = fileURLToPath(new URL('../../examples/plugins', import.meta.url));
let directory: string;
let ends: (() => Promise<unknown>)[];

beforeEach(() => {
  directory = newDir();
  ends = [];
  cpSync(examples, join(directory, 'plugins'), { recursive: true });
});

afterEach(async () => {
  for (const end of ends.reverse()) await end();
  removeDir(directory);
});

const forecast = './plugins/forecast/index.mjs';
const workflow = './plugins/issues-workflow/index.mjs';

function settings(...plugins: string[]): Record<string, string> {
  return environment(directory, { MINI_APP_PLUGINS: plugins.join(',') });
}

async function overStdio(name: string, ...plugins: string[]): Promise<Client> {
  const client = new Client({ name, version: '1' });
  const command = { command: process.execPath, args: [program, '--mcp'], cwd: directory, env: settings(...plugins) };
  await client.connect(new StdioClientTransport({ ...command, stderr: 'ignore' }));
  ends.push(() => client.close());
  return client;
}

async function overHttp(name: string, ...plugins: string[]): Promise<Client> {
  const server = await HttpServer.start(directory, settings(...plugins));
  ends.push(() => server.stop());
  const client = new Client({ name, version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  ends.push(() => client.close());
  return client;
}

interface Answer {
  readonly isError: boolean;
  readonly body: Record<string, unknown>;
  readonly structured: unknown;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const result = await client.callTool({ name, arguments: args });
  const [block] = result.content as { text: string }[];
  return {
    isError: result.isError === true,
    body: JSON.parse(block?.text ?? ''),
    structured: result.structuredContent,
  };
}

async function toolNames(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

function plugin(name: string, text: string): string {
  writeFileSync(join(directory, `${name}.mjs`), text);
  return `./${name}.mjs`;
}

/** A module whose plugin offers one tool that answers by `body`, an expression over `payload` and `context`. */
function oneTool(name: string, body: string, more = ''): string {
  return `import { Contract, Plugin, Projection, ServiceKey, z } from 'mini-app-mcp/plugin';
const Key = new ServiceKey('test/${name}');
const operation = Contract.operation('test/${name}', 1, { payload: z.object({ text: z.string().optional() }), success: z.string() })
  .annotate(Projection.Annotation, { name: '${name}', title: '${name}', description: 'A tool of a test.', readOnlyHint: true,
    destructiveHint: false, idempotentHint: true, openWorldHint: false, output: 'json' });
${more}
export default Plugin.make({ name: '${name}', version: '2.1.0', apply: async (scope) => {
  scope.provide(Key, {});
  await Projection.offer('test/${name}', [Projection.operation(Key, operation, async (_service, payload, context) => (${body}))]);
} });
`;
}

describe.each([
  ['stdio', overStdio],
  ['HTTP', overHttp],
])('the forecast example over %s', (_, connect) => {
  test('is listed, called, and refuses what its contract refuses', async () => {
    const client = await connect('reader', forecast);
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name === 'forecast');
    expect(tool).toMatchObject({
      title: 'City forecast',
      description: 'Read a city forecast',
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      inputSchema: { type: 'object', required: ['city'], additionalProperties: false },
      outputSchema: { type: 'object', required: ['value'] },
    });
    const answer = await call(client, 'forecast', { city: 'Oslo' });
    expect(answer.body).toEqual({ value: 'Snow showers, -4 °C' });
    expect(answer.structured).toEqual(answer.body);
    const unknown = await call(client, 'forecast', { city: 'Atlantis' });
    expect(unknown).toMatchObject({ isError: true, structured: undefined });
    expect(unknown.body).toMatchObject({ kind: 'business', code: 'UNKNOWN_CITY', city: 'Atlantis' });
    const wrong = await call(client, 'forecast', { town: 'Oslo' });
    expect(wrong).toMatchObject({ isError: true, body: { kind: 'input' } });
    expect(JSON.stringify(wrong.body)).toContain('city');
  });
});

describe('the workflow example', () => {
  beforeEach(() => {
    mkdirSync(join(directory, 'user', 'issues'), { recursive: true });
    cpSync(join(examples, 'issues-workflow', 'schema.yaml'), join(directory, 'user', 'issues', 'schema.yaml'));
  });

  async function newIssue(client: Client): Promise<string> {
    return String((await call(client, 'create', { table: 'issues', data: { title: 'Leak' } })).body.id);
  }

  test.each([
    ['stdio', overStdio],
    ['HTTP', overHttp],
  ])('lets one actor claim and close over %s, again without another change', async (_, connect) => {
    const client = await connect('ada', workflow);
    const id = await newIssue(client);
    expect((await call(client, 'issue_close', { id, resolution: 'x' })).body).toMatchObject({
      kind: 'business',
      code: 'NOT_YOURS',
      holder: null,
    });
    const first = await call(client, 'issue_claim', { id: id.slice(0, 8) });
    expect(first.body).toMatchObject({ value: { id, holder: 'ada', state: 'claimed', version: 2 } });
    expect((await call(client, 'issue_claim', { id })).body).toEqual(first.body);
    const closed = await call(client, 'issue_close', { id, resolution: 'A new seal' });
    expect(closed.body).toMatchObject({ value: { state: 'closed', version: 3 } });
    expect((await call(client, 'issue_close', { id, resolution: 'again' })).body).toEqual(closed.body);
    expect((await call(client, 'issue_claim', { id })).body).toMatchObject({ code: 'NOT_OPEN' });
    expect((await call(client, 'issue_claim', { id: 'ffffffff' })).body).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('gives an issue to one of two claimers at once in two processes', async () => {
    const [ada, bob] = [await overStdio('ada', workflow), await overStdio('bob', workflow)];
    for (let round = 0; round < 5; round++) {
      const id = await newIssue(ada);
      const answers = await Promise.all([ada, bob].map((client) => call(client, 'issue_claim', { id })));
      const won = answers.filter(({ isError }) => !isError);
      expect(won).toHaveLength(1);
      const { holder } = (won[0]?.body.value ?? {}) as { holder?: string };
      expect(answers.find(({ isError }) => isError)?.body).toMatchObject({ code: 'ALREADY_CLAIMED', holder });
    }
  });

  test('names the actor and the plugin in the events', async () => {
    const client = await overStdio('ada', workflow);
    const id = await newIssue(client);
    await call(client, 'issue_claim', { id });
    await client.close();
    const { execFileSync } = await import('node:child_process');
    const text = execFileSync(process.execPath, [program, 'log', 'issues', '--json'], {
      cwd: directory,
      env: settings(workflow),
      encoding: 'utf8',
    });
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const claimed = events.flat().find((event) => event.type === 'row.updated');
    expect(claimed).toMatchObject({ actor: 'ada', origin: { tool: 'issue_claim', plugin: 'issues-workflow@1.0.0' } });
  });
});

/** A tool whose first version waits for a file, and a second tool that publishes the next version when it is called. */
function changing(): string {
  return `import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Contract, Plugin, Projection, ServiceKey, z } from 'mini-app-mcp/plugin';
const Key = new ServiceKey('test/Changing');
const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false, output: 'json' };
const forecast = (version) => Contract.operation('test/Slow', version, { payload: z.object({}), success: z.string() })
  .annotate(Projection.Annotation, { name: 'slow', title: 'Slow', description: 'Version ' + version, ...hints });
const change = Contract.operation('test/Change', 1, { payload: z.object({ accept: z.boolean() }), success: z.string() })
  .annotate(Projection.Annotation, { name: 'change', title: 'Change', description: 'Go on to version 2', ...hints });
let controller;
const bindings = (version) => [
  Projection.operation(Key, forecast(version), async (service) => {
    while (version === 1 && !existsSync('go')) await setTimeout(10);
    return 'v' + version;
  }),
  Projection.operation(Key, change, async (_service, { accept }) =>
    controller.updateAfter(async () => (accept ? 'accepted' : 'refused'), bindings(2), (outcome) => outcome === 'accepted')),
];
export default Plugin.make({ name: 'changing', apply: async (scope) => {
  scope.provide(Key, {});
  controller = await Projection.offer('test/changing', bindings(1));
} });
`;
}

test.each([
  ['stdio', overStdio],
  ['HTTP', overHttp],
])('a call of version 1 over %s ends with its own result across the change to version 2', async (_, connect) => {
  const client = await connect('watcher', plugin('changing', changing()));
  let told = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    told++;
  });
  const described = async () => (await client.listTools()).tools.find(({ name }) => name === 'slow')?.description;
  expect(await described()).toBe('Version 1');
  const before = told;
  const admitted = call(client, 'slow');
  expect((await call(client, 'change', { accept: false })).body).toEqual({ value: 'refused' });
  expect(await described()).toBe('Version 1');
  expect((await call(client, 'change', { accept: true })).body).toEqual({ value: 'accepted' });
  await expect.poll(() => told - before).toBe(1);
  expect(await described()).toBe('Version 2');
  expect((await call(client, 'slow')).body).toEqual({ value: 'v2' });
  writeFileSync(join(directory, 'go'), '');
  expect((await admitted).body).toEqual({ value: 'v1' });
});

describe('a plugin that is no good', () => {
  beforeEach(() => {
    writeTable(join(directory, 'user'));
  });

  const healthy = () => plugin('healthy', oneTool('healthy', "'well: ' + payload.text"));

  async function withBad(module: string): Promise<{ client: Client; status: Record<string, unknown> | undefined }> {
    const client = await overStdio('tester', module, healthy());
    const { body } = await call(client, 'info', { table: 'issues' });
    expect((await call(client, 'healthy', { text: 'x' })).body).toEqual({ value: 'well: x' });
    const plugins = body.plugins as Record<string, unknown>[];
    expect(plugins.at(-1)).toEqual({ plugin: 'healthy', version: '2.1.0', mode: 'in process', state: 'running' });
    expect(JSON.stringify(plugins)).not.toContain(directory);
    return { client, status: plugins[0] };
  }

  test.each([
    ['throws at load', "throw new Error('secret');", 'could not be started'],
    ['has a syntax error', 'export default {', 'could not be started'],
    ['is no plugin', 'export default { name: 1 };', 'no plugin made with Plugin.make'],
    [
      'throws in apply',
      "import { Plugin } from 'mini-app-mcp/plugin';\nexport default Plugin.make({ name: 'bad', apply() { throw 'no error at all'; } });",
      'could not be started',
    ],
    [
      'needs what nobody provides',
      "import { Plugin, ServiceKey } from 'mini-app-mcp/plugin';\nexport default Plugin.make({ name: 'bad', inject: [new ServiceKey('test/None')], apply() {} });",
      "needs the service 'test/None'",
    ],
    ['takes the name of a built-in tool', oneTool('list', "'mine'"), "'list' is claimed by 'core/store'"],
    ['offers what cannot be published', oneTool('bad name', "'x'"), 'is not allowed'],
  ])('that %s is reported and stops nobody', async (_, text, words) => {
    const { status } = await withBad(plugin('bad', text));
    expect(status).toMatchObject({ state: 'failed', error: expect.stringContaining(words) });
    expect(JSON.stringify(status)).not.toContain('secret');
  });

  test('that is not there is reported', async () => {
    const { status } = await withBad('./missing.mjs');
    expect(status).toMatchObject({ plugin: 'missing.mjs', state: 'failed', error: 'there is no such file' });
    const { status: separated } = await withBad('./a.mjs;./b.mjs');
    expect(separated).toMatchObject({ error: 'there is no such file; entries are separated by commas' });
    mkdirSync(join(directory, 'folder'));
    const { status: folder } = await withBad('./folder');
    expect(folder).toMatchObject({ state: 'failed', error: expect.stringContaining('it is a directory') });
    const { status: other } = await withBad('no-such-package-here');
    expect(other).toMatchObject({ plugin: 'no-such-package-here', state: 'failed' });
  });

  test('is never what lies in the working directory under the name of a package', async () => {
    writeFileSync(join(directory, 'forecasts'), oneTool('evil', "'x'"));
    mkdirSync(join(directory, 'node_modules', 'forecasts'), { recursive: true });
    writeFileSync(join(directory, 'node_modules', 'forecasts', 'index.js'), "require('fs').writeFileSync('ran', '')");
    const { client, status } = await withBad('forecasts');
    expect(status).toMatchObject({ state: 'failed', error: expect.stringContaining('installed with the server') });
    expect(await toolNames(client)).not.toContain('evil');
    expect(existsSync(join(directory, 'ran'))).toBe(false);
  });

  test('that never ends its apply delays neither the greeting nor the others', async () => {
    const hanging =
      "import { Plugin } from 'mini-app-mcp/plugin';\nexport default Plugin.make({ name: 'bad', apply: () => new Promise(() => {}) });";
    const client = await overStdio('tester', healthy(), plugin('bad', hanging));
    expect((await call(client, 'healthy', { text: 'x' })).body).toEqual({ value: 'well: x' });
    const { body } = await call(client, 'info', { table: 'issues' });
    expect(body.plugins).toMatchObject([{ state: 'running' }, { plugin: 'bad', state: 'loading' }]);
  });

  test('that gives a name twice undoes what it did', async () => {
    const twice = `${oneTool('twice', "'x'")}`.replace(
      'await Projection.offer',
      "await Projection.offer('test/other', [Projection.operation(Key, operation, () => 'y')]);\n  await Projection.offer",
    );
    const { client, status } = await withBad(plugin('bad', twice));
    expect(status).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/'twice' is claimed by 'test\/other'/),
    });
    expect(await toolNames(client)).not.toContain('twice');
  });

  test('that writes to stdout, throws or answers what its contract has not does not reach the protocol', async () => {
    const odd = oneTool(
      'odd',
      "payload.text === 'throw' ? (() => { throw 'a secret text'; })() : payload.text === 'number' ? 7 : (console.log('stray'), process.stdout.write('stray\\n'), 'fine')",
      "console.log('stray at load');",
    );
    const server = new Server(directory, settings(plugin('odd', odd)));
    ends.push(() => server.stop());
    expect((await server.call('odd')).body).toEqual({ value: 'fine' });
    for (const text of ['throw', 'number']) {
      const { body } = await server.call('odd', { text });
      expect(body).toMatchObject({ kind: 'system', code: 'INTERNAL', incident: expect.any(String) });
      expect(JSON.stringify(body)).not.toContain('secret');
      await expect.poll(() => server.stderr).toContain(String(body.incident));
    }
    expect(server.stderr).toContain('a secret text');
    for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  });

  test('that registers ten thousand tools is served', async () => {
    const many = oneTool('many', "'x'").replace(
      "[Projection.operation(Key, operation, async (_service, payload, context) => ('x'))]",
      `Array.from({ length: 10_000 }, (_, index) => Projection.operation(Key, Contract.operation('test/T' + index, 1,
        { payload: z.object({}), success: z.string() }).annotate(Projection.Annotation, { name: 't' + index, title: 'T',
        description: 'D', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false, output: 'json' }), () => 'answer ' + index))`,
    );
    const server = new Server(directory, settings(plugin('many', many)));
    ends.push(() => server.stop());
    const count = async () => (await server.request('tools/list', {})).result?.tools?.length;
    await expect.poll(count, { timeout: 40_000, interval: 500 }).toBe(10_022);
    expect((await server.call('t9999')).body).toEqual({ value: 'answer 9999' });
  });
});

test.each(['', 'worker:'])('the store answers plugins what its documentation says: %s', async (where) => {
  writeTable(join(directory, 'user'));
  const all = `(async (table = 'issues') => {
    const made = await store.create({ table, data: { title: 'a' } }, context), { id } = made;
    const got = await store.get({ table, id }, context);
    const updated = await store.update({ table, id, data: { title: 'b' } }, context);
    const listed = await store.list({ table }, context);
    const deleted = await store.delete({ table, id }, context);
    return JSON.stringify({ made, got, updated, listed, deleted, restored: await store.restore({ table, id, version: 1 }, context) });
  })()`;
  const text = oneTool('shapes', all)
    .replace('ServiceKey,', 'ServiceKey, Store,')
    .replace("const Key = new ServiceKey('test/shapes');", 'const Key = Store;')
    .replace('scope.provide(Key, {});', '')
    .replace('async (_service', 'async (store');
  const client = await overStdio('tester', `${where}${plugin('shapes', text)}`);
  const answers = JSON.parse(String((await call(client, 'shapes')).body.value)) as Record<string, unknown>;
  const { id } = answers.made as { id: string };
  const row = (title: string, version: unknown) => ({
    id,
    data: { title },
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
    version,
  });
  expect(answers).toEqual({
    made: row('a', 1),
    got: row('a', 1),
    updated: row('b', 2),
    listed: [row('b', 2)],
    deleted: id,
    restored: row('a', expect.any(Number)),
  });
});

test('plugins are disposed of when the server ends, and a finaliser that hangs does not hold it up', async () => {
  const text = oneTool('ending', "'x'").replace(
    'scope.provide(Key, {});',
    "scope.provide(Key, {}); scope.defer(() => new Promise(() => {})); scope.defer(() => console.error('disposed of'));",
  );
  const server = new Server(directory, settings(plugin('ending', text)));
  expect((await server.call('ending')).body).toEqual({ value: 'x' });
  const started = performance.now();
  server.leave();
  expect(await server.ended()).toBe(0);
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(server.stderr).toContain('disposed of');
});
