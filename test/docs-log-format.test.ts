/** What docs/log-format.md says of the log, recomputed. */
import { createHash } from 'node:crypto';
import { getTableColumns } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { eventCatalogue } from '../src/events/catalogue.js';
import { applySplices, type Splice } from '../src/events/splice.js';
import { events } from '../src/events/tables.js';
import { readPage } from './helpers/markdown.js';

type Columns = Record<string, string | number | null> & { prev_hash: string; hash: string };

const page = readPage('docs/log-format.md');
const blocks = page.blocks.filter(({ language }) => language === 'json').map(({ text }) => JSON.parse(text) as unknown);
const example = blocks.find(Array.isArray) as Columns[];

describe('the worked example', () => {
  test('hashes to what it says, in the canonical form that the page describes', () => {
    let previous = '0'.repeat(64);
    for (const event of example) {
      expect(event.prev_hash).toBe(previous);
      expect(sha256(canonical(event))).toBe(event.hash);
      previous = event.hash;
    }
    expect(example).toHaveLength(2);
  });

  test('shows the canonical form of its first event', () => {
    const [first] = example;
    expect(page.blocks.some(({ text }) => text.trimEnd() === canonical(first as Columns))).toBe(true);
  });
});

/** Made from the page alone, without the code that writes the log. */
function canonical(event: Columns): string {
  const { hash: _, at_ms: at, commit_no: commit, ...rest } = event;
  const members = Object.entries({ ...rest, at, commit }).sort(([a], [b]) => (a < b ? -1 : 1));
  expect(members).toHaveLength(14);
  return JSON.stringify(Object.fromEntries(members));
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

test('the splice example gives what it says', () => {
  const { before, splice, after } = blocks.find((block) => !Array.isArray(block)) as {
    before: string;
    splice: Splice[];
    after: string;
  };
  expect(applySplices(before, splice)).toBe(after);
  expect(JSON.parse(after)).toBe('first\n\nsecond');
});

test('the columns are those of the table', () => {
  expect(firstCells('Columns')).toEqual(Object.values(getTableColumns(events)).map((column) => column.name));
});

test('every event type is described', () => {
  const described = firstCells('Event types');
  expect(Object.keys(eventCatalogue).filter((type) => !described.includes(type))).toEqual([]);
});

test.each(Object.entries(eventCatalogue))('the body of %s is described', (type, { body, version }) => {
  const row = page.prose.split('\n').find((line) => line.startsWith(`| \`${type}\` |`)) ?? '';
  expect(row).toContain(`| ${version} |`);
  const inWords = new Set(['set', 'unset', 'splice', 'order', 'history', 'aggregator']);
  const members = 'shape' in body ? Object.keys(body.shape as object) : [];
  const text = type === 'alias.migrated' ? page.prose : row;
  expect(members.filter((member) => !inWords.has(member) && !text.includes(`\`${member}\``))).toEqual([]);
});

function firstCells(heading: string): string[] {
  const part = page.prose.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...part.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1] ?? '');
}
