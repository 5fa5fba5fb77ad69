/**
 * The archive's blob: zstd level 3 of UTF-8 JSONL, one entry a line, oldest first (storage.md §10.1). Compression is
 * asynchronous and so cannot happen inside a transaction; entries that a transaction itself made are appended as a second
 * frame of stored blocks, which every zstd decoder reads as a continuation.
 */
import { StoreError } from '../../errors.js';
import type { JsonText } from '../../schema/json.js';
import { deltaFrame } from './delta-frame.js';
import type { HistoryEntry } from './queries.js';
import { Turns } from './turns.js';

/** The lines of entries, each with its final line feed. */
export function encodeLines(entries: readonly HistoryEntry[]): Buffer<ArrayBuffer> {
  return Buffer.from(entries.map(line).join(''), 'utf8');
}

/** @throws StoreError STORAGE_ERROR when the blob is damaged. */
export async function decodeChunk(rowId: string, blob: Buffer): Promise<HistoryEntry[]> {
  const { decompress } = await import('@mongodb-js/zstd');
  try {
    const text = (await decompress(Buffer.from(blob))).toString('utf8');
    return text
      .split('\n')
      .filter((entry) => entry !== '')
      .map((entry) => entryOf(rowId, entry));
  } catch (error) {
    throw new StoreError('STORAGE_ERROR', { detail: 'a history archive chunk is damaged' }, { cause: error });
  }
}

/** Changes that take this small a part of the whole need no comparison with a compressor. */
const smallEnough = 20;
/** Lines from this length on may be kept as changes of their predecessors. */
const longLine = 8 * 1024;

/**
 * The blob of entries, oldest first, which are taken one by one while others have their turns. Entries of large rows are nearly alike, and are kept as changes of the one before them
 * where that is smaller.
 */
export async function compressEntries(entries: Iterable<HistoryEntry>): Promise<Buffer> {
  const lines = await linesOf(entries);
  const bytes = lines.reduce((sum, { length }) => sum + length, 0);
  const [first, ...others] = lines;
  if (first === undefined || others.length === 0 || bytes / lines.length < longLine) return compressAll(lines);
  const frame = await deltaFrame({ firstFrame: await compressLines(Buffer.from(first)), lines });
  if (frame.length * smallEnough < bytes) return frame;
  const plain = await compressAll(lines);
  return frame.length < plain.length ? frame : plain;
}

async function linesOf(entries: Iterable<HistoryEntry>): Promise<Buffer[]> {
  const turns = new Turns();
  const lines: Buffer[] = [];
  for (const entry of entries) {
    const encoded = Buffer.from(line(entry), 'utf8');
    lines.push(encoded);
    await turns.after(encoded.length);
  }
  return lines;
}

function compressAll(lines: readonly Buffer[]): Promise<Buffer> {
  return compressLines(Buffer.concat(lines));
}

export async function compressLines(lines: Buffer<ArrayBuffer>): Promise<Buffer> {
  const { compress } = await import('@mongodb-js/zstd');
  return compress(lines);
}

/** A zstd frame that holds its content uncompressed: magic, header with the content size, blocks of at most 128 KiB. */
export function storedFrame(content: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32LE(0xfd2fb528, 0);
  header.writeUInt8(0b1110_0000, 4);
  header.writeBigUInt64LE(BigInt(content.length), 5);
  const parts: Buffer[] = [header];
  for (let at = 0; at === 0 || at < content.length; at += largestBlock) {
    const block = content.subarray(at, at + largestBlock);
    const isLast = at + largestBlock >= content.length;
    const blockHeader = Buffer.alloc(3);
    blockHeader.writeUIntLE((block.length << 3) | (isLast ? 1 : 0), 0, 3);
    parts.push(blockHeader, block);
  }
  return Buffer.concat(parts);
}

const largestBlock = 128 * 1024;

function line(entry: HistoryEntry): string {
  const { version, recordedAt, op, data } = entry;
  const members = {
    version,
    recorded_at: recordedAt,
    op,
    data_json: data ?? undefined,
    prev_data_json: entry.previous,
  };
  return `${JSON.stringify(members)}\n`;
}

interface Line {
  version: number;
  recorded_at: number;
  op: HistoryEntry['op'];
  data_json?: JsonText;
  prev_data_json?: JsonText;
}

function entryOf(rowId: string, text: string): HistoryEntry {
  const entry = JSON.parse(text) as Line;
  return {
    id: 0,
    rowId,
    version: entry.version,
    recordedAt: entry.recorded_at,
    op: entry.op,
    data: entry.data_json ?? null,
    ...(entry.prev_data_json == null ? {} : { previous: entry.prev_data_json }),
  };
}
