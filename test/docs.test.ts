/** The documentation against the program: nothing missing, nothing that is not there. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { generatedPages } from '../scripts/docs/pages.js';
import { toolNotes } from '../scripts/docs/tool-notes.js';
import { processIo } from '../src/cli/io.js';
import { buildProgram } from '../src/cli/program.js';
import { errorCodes } from '../src/errors.js';
import { coreTools } from '../src/mcp/tools/index.js';
import { checkView } from '../src/mcp/view-check.js';
import { parseFieldSelector } from '../src/schema/field-selector.js';
import { parseFilter } from '../src/schema/filter.js';
import { parseOrderBy } from '../src/schema/order-by.js';
import { parseSchema } from '../src/schema/parse-schema.js';
import { anchorsOf, linksOf, type Page, pages, readPage, repository } from './helpers/markdown.js';
import { readSourceFiles } from './helpers/source-files.js';

const all = pages();
const readme = readPage('README.md');
const operating = readPage('docs/operating.md');
const published = checkView(coreTools).checked;
const every = (pattern: RegExp, text: string) => new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ''));
const documentation = all
  .filter(isOurs)
  .map((page) => page.text)
  .join('\n');

test.each([...generatedPages()])('docs/%s is what scripts/generate-docs.ts writes', (file, content) => {
  expect(readPage(`docs/${file}`).text, 'run: npx tsx scripts/generate-docs.ts').toBe(content);
});

describe.each(all.map((page) => [page.path, page] as const))('%s', (_path, page) => {
  test('has blocks that parse', () => {
    for (const { language, text, line } of page.blocks) {
      const parsed = () => parsers[language]?.(text);
      expect(parsed, `line ${line}`).not.toThrow();
    }
  });

  test('links to what is there', () => {
    const broken = linksOf(page).filter((link) => !/^https?:/.test(link) && !leadsSomewhere(page, link));
    expect(broken).toEqual([]);
  });

  test('names files that are there', () => {
    const named = every(/`((?:src|docs|test|bench|examples|contrib|scripts|drizzle|\.ci)\/[\w./*-]*)`/g, page.prose);
    const missing = [...named].filter((path) => !path.includes('*') && path !== 'bench/results' && !isThere(path));
    expect(missing).toEqual([]);
  });

  test('has no table row with another number of cells than its head', () => {
    const tables = page.prose.split(/\n{2,}/).filter((part) => part.startsWith('|'));
    for (const table of tables) {
      const cells = table
        .trimEnd()
        .split('\n')
        .map((row) => row.replaceAll('\\|', '').split('|').length);
      expect(new Set(cells).size, table.slice(0, 200)).toBe(1);
    }
  });
});

const parsers: Readonly<Record<string, (text: string) => void>> = {
  json: (text) => JSON.parse(text),
  toml: parseToml,
  yaml: (text) => {
    const value: unknown = parse(text);
    if (typeof value === 'object' && value !== null && 'table' in value) parseSchema(text, 'schema.yaml');
  },
};

/** As much of TOML as configuration files of clients use: tables, and keys with strings or arrays of them. */
function parseToml(text: string): void {
  for (const line of text.split('\n').filter((line) => line.trim() !== '')) {
    const value = /^[\w-]+ = (.+)$/.exec(line)?.[1];
    if (value === undefined && !/^\[[\w.-]+\]$/.test(line)) throw new Error(`not TOML: ${line}`);
    if (value !== undefined) JSON.parse(value);
  }
}

function leadsSomewhere({ path, prose }: Page, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? path : normalize(join(dirname(path), file));
  if (!isThere(target)) return false;
  if (anchor === undefined || !target.endsWith('.md')) return true;
  // The generated page has the tools that are published; the notes have all of them.
  if (target === 'docs/tools.md' && anchor in toolNotes) return true;
  return anchorsOf(file === '' ? { prose } : readPage(target)).has(anchor);
}

/** What is named inside of a folder that this checkout does not have is not looked for. */
function isThere(path: string): boolean {
  const folder = /^(contrib|docs\/runbooks|test\/fixtures)(?=\/|$)/.exec(path)?.[1];
  if (folder !== undefined && !existsSync(join(repository, folder))) return true;
  return existsSync(join(repository, path));
}

describe('tools', () => {
  const listed = [...every(/^\| `([a-z_]+)` \| /gm, section(readme, 'Tools'))];

  test('are all listed in the README', () => {
    expect(published.map((tool) => tool.annotation.name).filter((name) => !listed.includes(name))).toEqual([]);
    expect(listed.length).toBe(22);
  });

  test.skipIf(published.length < 22)('are not listed when there are none of that name', () => {
    expect(listed.sort()).toEqual(published.map((tool) => tool.annotation.name).sort());
  });

  test.each(published.map(({ annotation, binding }) => [annotation.name, binding] as const))(
    '%s accepts the arguments of its example',
    (name, binding) => {
      const parsed = binding.operation.payload.safeParse(toolNotes[name]?.arguments);
      expect(parsed.error?.issues ?? []).toEqual([]);
    },
  );

  test('have notes for no other name', () => {
    expect(Object.keys(toolNotes).filter((name) => !listed.includes(name))).toEqual([]);
  });
});

test('every filter, order and selector shown is valid for the table it is shown for', () => {
  const text = readFileSync(join(repository, 'examples/demo/issues/schema.yaml'), 'utf8');
  const schema = parseSchema(text, 'schema.yaml');
  const seen = new Set<string>();
  for (const block of readPage('docs/filters.md').blocks.filter(({ language }) => language === 'json')) {
    const value = JSON.parse(block.text) as { type?: string; mode?: string };
    if (Array.isArray(value)) parseOrderBy(schema, value);
    else if (value.mode !== undefined) parseFieldSelector(schema, value);
    else if (value.type !== undefined) seen.add(parseFilter(schema, value).type);
  }
  expect([...seen].sort()).toEqual(['and', 'array_contains', 'array_not_contains', 'eq', 'in', 'like']);
});

describe('environment variables', () => {
  const name = /\b(MINI_APP_[A-Z0-9]+(?:_[A-Z0-9]+)*)\b(?!_)/g;
  const configured = every(/^\| `(MINI_APP_[A-Z0-9_]+)` \|/gm, section(readme, 'Configuration'));

  test('of the program are all in the README', () => {
    const used = every(name, sources('src'));
    expect([...used].filter((variable) => !configured.has(variable))).toEqual([]);
  });

  test('that are documented are read somewhere', () => {
    const used = every(name, ['src', 'test/helpers', 'bench', 'scripts'].map(sources).join('\n'));
    const uploads = existsSync(join(repository, 'src/ops/upload'));
    const unread = [
      ...every(
        name,
        all
          .filter(isOurs)
          .map((page) => page.text)
          .join('\n'),
      ),
    ].filter((variable) => !used.has(variable) && (uploads || !variable.startsWith('MINI_APP_S3_')));
    expect(unread).toEqual([]);
  });
});

/** The runbooks also name variables of the scripts in contrib. */
function isOurs({ path }: Page): boolean {
  return !path.startsWith('docs/runbooks/');
}

function sources(folder: string): string {
  return readSourceFiles(join(repository, folder))
    .map((file) => file.text)
    .join('\n');
}

describe('commands', () => {
  const program = buildProgram(processIo, async () => undefined);
  const names = program.commands.map((command) => command.name());

  test('are all in the README and in operating.md', () => {
    for (const page of [readme, operating]) {
      expect(names.filter((command) => !page.text.includes(`\`${command}\``) && command !== 'help')).toEqual([]);
    }
  });

  test('that are named exist', () => {
    const named = every(/`mini-app-mcp ([a-z][a-z-]+)/g, documentation);
    expect([...named].filter((command) => !names.includes(command))).toEqual([]);
  });

  test('have no option that operating.md does not mention', () => {
    const options = program.commands.flatMap((command) => command.options.map((option) => option.long ?? ''));
    expect([...new Set(options)].filter((option) => !operating.text.includes(option))).toEqual([]);
  });
});

test('every error code that is named exists, and every code is on the page of errors', () => {
  const named = every(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`/g, documentation);
  const known = new Set<string>([...errorCodes, 'CHUNK_MIN', 'KEEP_RECENT']);
  expect([...named].filter((code) => !known.has(code) && !code.startsWith('MINI_APP_') && code !== 'RUST_LOG')).toEqual(
    [],
  );
  const listed = every(/^\| `([A-Z0-9_]+)` \|/gm, readPage('docs/errors.md').prose);
  expect(errorCodes.filter((code) => !listed.has(code))).toEqual([]);
});

test('the changelog has an entry for this version', () => {
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
  expect(readPage('CHANGELOG.md').prose).toMatch(new RegExp(`^## ${version.replaceAll('.', '\\.')}`, 'm'));
});

/** The part of a page under a heading of the second level. */
function section({ prose }: Page, heading: string): string {
  return prose.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
}
