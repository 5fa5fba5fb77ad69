import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compress, decompress } from '@mongodb-js/zstd';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deltaFrame } from '../../src/projections/row-history/delta-frame.js';

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.nat(400),
  text: fc.string({ maxLength: 300 }),
});
/** Lines of up to half a megabyte, each a few edits away from the one before. */
const linesOf = fc
  .record({
    word: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
    times: fc.integer({ min: 1, max: 3000 }),
    edits: fc.array(fc.array(edit, { maxLength: 4 }), { maxLength: 8 }),
  })
  .map(({ word, times, edits }) => {
    let text = Array.from({ length: times }, (_, index) => `${word}${(index * 7919) % 1009}`).join(' ');
    const lines = [Buffer.from(`${text}\n`)];
    for (const step of edits) {
      for (const { at, removed, text: inserted } of step) {
        const offset = Math.floor(at * text.length);
        text = text.slice(0, offset) + inserted + text.slice(offset + removed);
      }
      lines.push(Buffer.from(`${text}\n`));
    }
    return lines;
  });

it('a frame of changes decodes to its lines', async () => {
  await fc.assert(
    fc.asyncProperty(linesOf, async (lines) => {
      const frame = await deltaFrame({ firstFrame: await compress(Buffer.from(lines[0] ?? '')), lines });
      expect((await decompress(frame)).equals(Buffer.concat(lines))).toBe(true);
    }),
    { numRuns: 60 },
  );
}, 60_000);

const hasZstd = (() => {
  try {
    execFileSync('zstd', ['--version']);
    return true;
  } catch {
    return false;
  }
})();

it.skipIf(!hasZstd)('the reference program decodes it, streaming', async () => {
  const first = Buffer.from('the quick brown fox jumps over the lazy dog, again and again; '.repeat(6000));
  const second = Buffer.concat([first.subarray(0, 200_000), Buffer.from('something else'), first.subarray(200_050)]);
  const lines = [first, second, Buffer.from('short'), first];
  const frame = await deltaFrame({ firstFrame: await compress(first), lines });
  const directory = mkdtempSync(join(tmpdir(), 'delta-'));
  try {
    writeFileSync(join(directory, 'frame.zst'), frame);
    const options = { maxBuffer: 1 << 26 };
    const output = execFileSync('zstd', ['-d', '-c', join(directory, 'frame.zst')], options);
    expect(output.equals(Buffer.concat(lines))).toBe(true);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
