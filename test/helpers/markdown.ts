/** What the tests of the documentation look at in a page. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

export interface Block {
  /** `sh`, `json`, …; empty for a block without one. */
  readonly language: string;
  readonly text: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  /** Nothing but empty lines stands between the end of the block before and this one. */
  readonly followsBlock: boolean;
}

export interface Page {
  /** Relative to the repository. */
  readonly path: string;
  readonly text: string;
  /** The text without its blocks. */
  readonly prose: string;
  readonly blocks: readonly Block[];
}

/** README, the pages at the root and those under docs/, the runbooks included. */
export function pages(): Page[] {
  const docs = readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file.replaceAll('\\', '/')}`);
  return ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...docs.sort()].map(readPage);
}

export function readPage(path: string): Page {
  const text = readFileSync(join(repository, path), 'utf8');
  const blocks: Block[] = [];
  const prose: string[] = [];
  let open: { language: string; line: number; lines: string[]; followsBlock: boolean } | null = null;
  let onlyEmpty = false;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^```(.*)$/.exec(line.trimStart());
    if (open === null && fence !== null) {
      open = { language: fence[1]?.trim() ?? '', line: index + 1, lines: [], followsBlock: onlyEmpty };
    } else if (open !== null && fence !== null) {
      const { lines, ...rest } = open;
      blocks.push({ ...rest, text: `${lines.join('\n')}\n` });
      open = null;
      onlyEmpty = true;
    } else if (open !== null) open.lines.push(line);
    else {
      prose.push(line);
      if (line.trim() !== '') onlyEmpty = false;
    }
  }
  return { path, text, prose: prose.join('\n'), blocks };
}

/** The targets of the links of a page, those of images included. */
export function linksOf({ prose }: Page): string[] {
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
}

/** The anchors that the headings of a page have. */
export function anchorsOf({ prose }: Pick<Page, 'prose'>): Set<string> {
  const headings = [...prose.matchAll(/^#{1,6} (.+)$/gm)].map((match) => match[1] ?? '');
  return new Set(
    headings.map((text) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
