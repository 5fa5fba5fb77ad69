import { describe, expect, test } from 'vitest';
import { compressLines, decodeChunk, encodeLines, storedFrame } from '../../../src/projections/row-history/chunk.js';
import type { HistoryEntry } from '../../../src/projections/row-history/queries.js';
import type { JsonText } from '../../../src/schema/json.js';
import { hasZstd, historyLine, zstdContent, zstdFrame } from '../../helpers/predecessor.js';

function entries(versions: number, size = 10): HistoryEntry[] {
  return Array.from({ length: versions }, (_, at) => ({
    id: 0,
    rowId: 'x',
    version: at + 1,
    recordedAt: 1000 + at,
    op: at === 0 ? 'create' : 'update',
    data: `{"title":"${'é😀'.repeat(size)} ${at}"}` as JsonText,
  }));
}

describe('a damaged chunk', () => {
  test.each([
    ['no zstd', async () => Buffer.from('dear diary')],
    ['cut short', async () => (await compressLines(encodeLines(entries(50)))).subarray(0, 60)],
    ['no JSON inside', async () => storedFrame(Buffer.from('dear diary\n'))],
  ])('(%s) is STORAGE_ERROR', async (_kind, blob) => {
    await expect(decodeChunk('x', await blob())).rejects.toMatchObject({ code: 'STORAGE_ERROR' });
  });
});

test('lines have the keys of the format, in order, each with a line feed', () => {
  const old: HistoryEntry = {
    ...{ id: 5, rowId: 'x', version: 1, recordedAt: 9, op: 'delete' },
    data: null,
    previous: '{"a":1}' as JsonText,
  };
  expect(encodeLines([...entries(1, 0), old]).toString()).toBe(
    '{"version":1,"recorded_at":1000,"op":"create","data_json":"{\\"title\\":\\" 0\\"}"}\n' +
      '{"version":1,"recorded_at":9,"op":"delete","prev_data_json":"{\\"a\\":1}"}\n',
  );
});

describe.each([
  ['one entry', 1, 1],
  ['many', 49, 100],
  ['more than a block holds', 3, 40_000],
])('%s', (_name, versions, size) => {
  const written = entries(versions, size);

  test('reads back, compressed and stored', async () => {
    const lines = encodeLines(written);
    for (const blob of [await compressLines(lines), storedFrame(lines)]) {
      expect(await decodeChunk('x', blob)).toEqual(written);
    }
  });

  test.skipIf(!hasZstd)('is read by the zstd command (skipped where there is none)', async () => {
    const lines = encodeLines(written);
    const both = Buffer.concat([await compressLines(lines), storedFrame(lines)]);
    expect(zstdContent(both)).toBe(`${lines}${lines}`);
  });
});

test.skipIf(!hasZstd)(
  'chunks from a pipe, of several frames, with empty lines, are read (needs the zstd command)',
  async () => {
    const first = Array.from({ length: 200 }, (_, at) => historyLine(at + 1, at, { n: at, text: 'x'.repeat(at) })).join(
      '',
    );
    const blob = Buffer.concat([zstdFrame(first), zstdFrame(`\n${historyLine(201, 500, { last: true }, 'delete')}\n`)]);
    const read = await decodeChunk('x', blob);
    expect(read).toHaveLength(201);
    expect(read.at(-1)).toEqual({
      id: 0,
      rowId: 'x',
      version: 201,
      recordedAt: 500,
      op: 'delete',
      data: '{"last":true}',
    });
  },
);
