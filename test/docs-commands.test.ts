/** Every command that the documentation prints is run, and says what the documentation shows. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { comparable, isShown, makeSandbox, runServer, runShell, type Sandbox } from './helpers/docs-sandbox.js';
import { type Block, type Page, pages, repository } from './helpers/markdown.js';
import { newDir, removeDir } from './helpers/temp-dir.js';

/** These change or need what a test must not touch: the installed packages, other machines, the system's services. */
const notRun = /^(npm|npx|docker|systemctl|launchctl|fly|git|crontab|openssl|rclone|restic|ssh)\b/;
const serves = /^(MINI_APP_\w+=(\$\([^)]*\)|\S+) )*mini-app-mcp --mcp-http\b/;

const hasHttp = existsSync(join(repository, 'src/cli/serve-http.ts'));

/** Runbooks are about other machines. */
const withCommands = pages().filter(
  (page) => !page.path.startsWith('docs/runbooks/') && page.blocks.some((block) => lines(block).length > 0),
);

describe.each(withCommands.map((page) => [page.path, page] as const))('%s', (_path, page) => {
  let directory: string;
  let sandbox: Sandbox;

  beforeAll(async () => {
    directory = newDir();
    sandbox = await makeSandbox(directory);
  }, 60_000);
  afterAll(() => removeDir(directory));

  for (const [index, block] of page.blocks.entries()) {
    for (const line of served(block)) {
      test.skipIf(!hasHttp)(`line ${block.line}: ${line}`, { timeout: 60_000 }, async () => {
        expect(await runServer(sandbox, line)).toBe(0);
      });
    }
    const script = runnable(block);
    if (script === '') continue;
    test(`line ${block.line}: ${firstLine(script)}`, { timeout: 60_000 }, () => {
      const actual = comparable(runShell(sandbox, script));
      const shown = outputAfter(page, index);
      if (shown === null) return;
      const expected = comparable(shown.text);
      if (!isShown(expected, actual)) expect(actual).toEqual(expected);
    });
  }
});

test('every npm script that is named exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = pages().flatMap(({ path, text }) =>
    [...text.matchAll(/\bnpm (?:run (?:--silent )?([a-z][\w:-]*)|(start|test)\b)/g)].map((match) => {
      return `${path}: ${match[1] ?? match[2]}`;
    }),
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => scripts[name.split(': ')[1] ?? ''] === undefined)).toEqual([]);
});

/** The lines of a block that mean something here. */
function lines({ language, text }: Block): string[] {
  return language === 'sh' ? text.split('\n').filter((line) => !/^\s*(#|$)/.test(line) && !notRun.test(line)) : [];
}

function served(block: Block): string[] {
  return lines(block).filter((line) => serves.test(line));
}

function runnable(block: Block): string {
  return lines(block)
    .filter((line) => !serves.test(line))
    .join('\n');
}

function outputAfter(page: Page, index: number): Block | null {
  const next = page.blocks[index + 1];
  return next?.language === 'text' && next.followsBlock ? next : null;
}

function firstLine(script: string): string {
  return script.split('\n')[0] ?? '';
}
