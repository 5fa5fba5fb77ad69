/** Whatever a caller sends, to any tool: an answer of the closed set or a legitimate success, soon, and nothing breaks. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorCode, errorCodes } from '../../src/errors.js';
import { newDir, removeDir } from '../helpers/temp-dir.js';
import { type Args, badValues, goodArguments, hugeText, oddNames, oddShapes } from './bad-values.js';
import { expectWhole } from './proof.js';
import { environment, type Message, type PublishedTool, program, Server, writeTable } from './server.js';

const slowest = 5_000;
const longestError = 20_000;

let directory: string;
let server: Server;
let good: Record<string, Args>;
let path: string;
const outputs = new Map<string, (value: unknown) => boolean>();
const inputs = new Map<string, PublishedTool>();

beforeAll(async () => {
  directory = newDir();
  path = writeTable(join(directory, 'user'));
  server = new Server(directory);
  const row = await server.do('create', { table: 'issues', data: { title: 'kept', points: 1 } });
  await server.do('alias_create', {
    table: 'issues',
    name: 'kept',
    filter_template: '{"type":"eq","field":"title","value":"{{ v }}"}',
    params_schema: ['v'],
  });
  good = goodArguments({ id: String(row.id), out: join(directory, 'out') });
  const { result } = await server.request('tools/list', {});
  const ajv = new Ajv2020({ strict: false });
  for (const tool of result?.tools ?? []) {
    inputs.set(tool.name, tool);
    if (tool.outputSchema !== undefined) outputs.set(tool.name, ajv.compile(tool.outputSchema));
  }
});

afterAll(async () => {
  await server.stop();
  removeDir(directory);
});

it('knows good arguments for every tool', () => {
  expect([...inputs.keys()].sort()).toEqual(Object.keys(good).sort());
});

const names = Object.keys(goodArguments({ id: '', out: '' }));

describe.each(names)('%s', (name) => {
  it('answers to odd values of every argument', async () => {
    const complaints: string[] = [];
    for (const args of oddCalls(name)) complaints.push(...(await complaintsOf(name, args)));
    expect([...new Set(complaints)]).toEqual([]);
    await expectAlive();
  });

  it('answers to 5 MB, a missing and an unknown argument', async () => {
    const complaints: string[] = [];
    for (const args of incomplete(name)) complaints.push(...(await complaintsOf(name, args)));
    expect([...new Set(complaints)]).toEqual([]);
    await expectAlive();
  });
});

/** Tables, files of rows, copies of databases and backups of definitions, each under its own name. */
const ours = new RegExp(
  [
    '^(?:out(?:/[0-9a-f-]{36}\\.json)?|user',
    'user/_global\\.db',
    'user/(issues|spare)',
    'user/(issues|spare)/schema\\.yaml',
    'user/issues/issues\\.db|user/spare/spare\\.db',
    'user/_backup|user/_backup/spare\\.\\d+(?:_\\d+)?\\.(db|yaml)',
    'user/_snapshots|user/_snapshots/issues\\.\\d+\\.db)$',
  ].join('|'),
);

it('leaves the table whole and no file behind that it should not', async () => {
  await expectAlive();
  await server.do('schema_create', { ...good.schema_create, dry_run: false }).catch(() => undefined);
  await server.stop();
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  expect(files.filter((file) => !ours.test(file))).toEqual([]);
  await expectWhole(path);
  const verify = execFileSync(process.execPath, [program, 'verify', '--json'], {
    cwd: directory,
    env: environment(directory),
    encoding: 'utf8',
  });
  expect(
    verify
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ ok: true }, { ok: true }, { table: '_global (user)', ok: true }]);
  expect(server.stderr).not.toMatch(/^\s+at /m);
});

function oddCalls(name: string): Args[] {
  const base = good[name] ?? {};
  const properties = Object.keys(inputs.get(name)?.inputSchema.properties ?? {});
  return properties.flatMap((argument) => {
    const isDefinition = argument === 'fields' && name.startsWith('schema_');
    const shapes = oddShapes[isDefinition ? 'definition' : argument] ?? [];
    return [...badValues, ...shapes].map((value) => ({ ...base, [argument]: value }));
  });
}

function incomplete(name: string): Args[] {
  const base = good[name] ?? {};
  const missing = Object.keys(base).map((argument) => ({ ...base, [argument]: undefined }));
  const unknown = oddNames.map((argument) => ({ ...base, ...JSON.parse(`{${JSON.stringify(argument)}:1}`) }));
  const properties = Object.keys(inputs.get(name)?.inputSchema.properties ?? {});
  const huge = properties.map((argument) => ({ ...base, [argument]: hugeText }));
  return [...missing, ...unknown, ...huge];
}

async function expectAlive(): Promise<void> {
  const answer = await server.do('info', { table: 'issues' });
  expect(answer).toMatchObject({ table: 'issues' });
}

/** What is wrong with the answer; empty when it is as it should be. */
async function complaintsOf(name: string, args: Args): Promise<string[]> {
  if (name === 'schema_delete') await server.call('schema_create', { ...good.schema_create, dry_run: false });
  const started = performance.now();
  const message = await server.request('tools/call', { name, arguments: args });
  const took = performance.now() - started;
  const found = message.result?.isError === true ? errorComplaints(message, args) : successComplaints(name, message);
  if (took > slowest) found.push(`took ${Math.round(took)} ms`);
  return found.map((complaint) => `${complaint} <- ${JSON.stringify(args).slice(0, 300)}`);
}

function successComplaints(name: string, { result, error }: Message): string[] {
  if (error !== undefined) return [`protocol error ${error.code} ${error.message}`];
  const fits = outputs.get(name)?.(result?.structuredContent) ?? true;
  return fits ? [] : ['the success does not fit its schema'];
}

const kinds: readonly unknown[] = ['input', 'business'];
const codes = new Set<unknown>(errorCodes);
const never: readonly ErrorCode[] = ['INTERNAL', 'STORAGE_ERROR', 'IO_ERROR', 'CORRUPT_LOG'];

function errorComplaints({ result }: Message, args: Args): string[] {
  const text = result?.content?.[0]?.text ?? 'null';
  const body: Record<string, unknown> = JSON.parse(text);
  const shown = text.slice(0, 300);
  const found: string[] = [];
  if (!kinds.includes(body.kind) || !codes.has(body.code)) found.push(`not of the closed set: ${shown}`);
  if (never.some((code) => code === body.code)) found.push(`unexpected: ${shown}`);
  for (const key of ['message', 'hint']) {
    if (typeof body[key] !== 'string' || body[key] === '') found.push(`no ${key}: ${shown}`);
  }
  // A conflict holds the whole row, so that the caller need not read it again.
  const { row: _row, ...rest } = body;
  if (JSON.stringify(rest).length > longestError) found.push(`${text.length} characters: ${shown}`);
  if (leaks(text, JSON.stringify(args))) found.push(`leaks: ${shown}`);
  if (result?.structuredContent !== undefined) found.push(`an error with structured content: ${shown}`);
  return found;
}

const inside = /\\n\s+at |\.(js|ts):\d+|node_modules|SQLITE_|SELECT .* FROM |INSERT INTO|DELETE FROM|UPDATE \w+ SET/;

/** Stacks, statements that the caller did not write, and paths outside of the data directories. */
function leaks(text: string, sent: string): boolean {
  if (inside.test(text) && !inside.test(sent)) return true;
  const paths = text.match(/\/(tmp|home|root|usr|work|etc|var)\/[^\s"'\\]*/g) ?? [];
  return paths.some((found) => !found.startsWith(directory) && !sent.includes(found));
}
