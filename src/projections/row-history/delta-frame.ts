/**
 * A zstd frame of lines that are each nearly the one before: what a chunk of a large row holds. A general compressor at
 * level 3 loses such repetitions (its tables are smaller than two lines); here every line after the first is written as
 * matches in its predecessor, by hand, as blocks with one sequence each. The result is an ordinary frame (RFC 8878) that any
 * decoder reads.
 */
import { matchesIn } from './line-matches.js';
import { Turns } from './turns.js';

/** The frame of the first line, and the lines that follow it. */
export interface DeltaInput {
  /** Of exactly the first line, from any encoder. */
  readonly firstFrame: Buffer;
  readonly lines: readonly Buffer[];
}

const magic = 0xfd2fb528;
/** Content of one block at most. */
const largestBlock = 128 * 1024;
const blockTypes = { raw: 0, compressed: 2 } as const;

/** @param input at least one line. */
export async function deltaFrame({ firstFrame, lines }: DeltaInput): Promise<Buffer> {
  const size = lines.reduce((sum, line) => sum + line.length, 0);
  const blocks = [frameHeader(size), ...blocksOf(firstFrame)];
  const turns = new Turns();
  for (const [index, line] of lines.entries()) {
    if (index > 0) blocks.push(...lineBlocks(lines[index - 1], line));
    await turns.after(line.length);
  }
  return Buffer.concat([...blocks, endBlock()]);
}

/** The content is one segment, so that a match may reach as far back as there is content. */
function frameHeader(contentSize: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32LE(magic, 0);
  header.writeUInt8(0b1110_0000, 4);
  header.writeBigUInt64LE(BigInt(contentSize), 5);
  return header;
}

/** An empty raw block that is the last one. */
function endBlock(): Buffer {
  return blockOf(blockTypes.raw, Buffer.alloc(0), true);
}

function blockOf(type: number, content: Buffer, isLast = false): Buffer {
  const block = Buffer.alloc(3 + content.length);
  block.writeUIntLE(content.length * 8 + type * 2 + (isLast ? 1 : 0), 0, 3);
  content.copy(block, 3);
  return block;
}

/** The blocks of a frame; none of them the last any more. */
function blocksOf(frame: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let at = firstBlockOf(frame), isLast = false; !isLast; ) {
    const header = frame.readUIntLE(at, 3);
    isLast = (header & 1) === 1;
    const isRepeatedByte = ((header >> 1) & 3) === 1;
    const end = at + 3 + (isRepeatedByte ? 1 : header >> 3);
    const block = Buffer.from(frame.subarray(at, end));
    block.writeUIntLE(header & ~1, 0, 3);
    blocks.push(block);
    at = end;
  }
  return blocks;
}

function firstBlockOf(frame: Buffer): number {
  const descriptor = frame.readUInt8(4);
  const isSingleSegment = (descriptor >> 5) & 1;
  const sizeBytes = [isSingleSegment, 2, 4, 8][descriptor >> 6] ?? 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  return 5 + (isSingleSegment === 1 ? 0 : 1) + dictionaryBytes + sizeBytes;
}

function lineBlocks(before: Buffer | undefined, line: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  let at = 0;
  for (const match of before === undefined ? [] : matchesIn(before, line)) {
    const distance = match.at + (before?.length ?? 0) - match.from;
    blocks.push(...pieces(line.subarray(at, match.at), match.length, distance));
    at = match.at + match.length;
  }
  for (; at < line.length; at += largestBlock) {
    blocks.push(blockOf(blockTypes.raw, Buffer.from(line.subarray(at, at + largestBlock))));
  }
  return blocks;
}

/** Literals and the match after them as blocks, each within the largest size. */
function pieces(literals: Buffer, length: number, distance: number): Buffer[] {
  const blocks: Buffer[] = [];
  let rest = literals;
  for (; rest.length > largestLiterals; rest = rest.subarray(largestLiterals)) {
    blocks.push(blockOf(blockTypes.raw, rest.subarray(0, largestLiterals)));
  }
  for (let left = length; left > 0; ) {
    // What is left over must not be shorter than a match can be.
    const most = Math.min(left, largestBlock - rest.length);
    const taken = left - most > 0 && left - most < shortestMatch ? most - shortestMatch : most;
    blocks.push(blockOf(blockTypes.compressed, sequence(rest, taken, distance)));
    rest = rest.subarray(rest.length);
    left -= taken;
  }
  return blocks;
}

const largestLiterals = 64 * 1024;
const shortestMatch = 3;

/** A block's content: raw literals, then one sequence whose three codes stand alone (mode RLE), so that only bits follow. */
function sequence(literals: Buffer, length: number, distance: number): Buffer {
  const literalCode = codeOf(literalCodes, literals.length);
  const matchCode = codeOf(matchCodes, length);
  const offset = distance + 3;
  const offsetBits = Math.floor(Math.log2(offset));
  const codes = Buffer.from([1, 0b0101_0100, literalCode.code, offsetBits, matchCode.code]);
  const bits = packBits([literalCode, matchCode, { bits: offsetBits, extra: offset - 2 ** offsetBits }]);
  return Buffer.concat([literalsHeader(literals.length), literals, codes, bits]);
}

function literalsHeader(length: number): Buffer {
  if (length < 32) return Buffer.from([length << 3]);
  const header = Buffer.alloc(length < 4096 ? 2 : 3);
  header.writeUIntLE((length << 4) | (length < 4096 ? 0b0100 : 0b1100), 0, header.length);
  return header;
}

interface Extra {
  readonly bits: number;
  readonly extra: number;
}

/** The decoder reads from the end, so what it wants first is written last; a final 1 marks the end. */
function packBits(values: readonly Extra[]): Buffer {
  let packed = 0n;
  let length = 0n;
  for (const { bits, extra } of values) {
    packed |= BigInt(extra) << length;
    length += BigInt(bits);
  }
  packed |= 1n << length;
  const bytes: number[] = [];
  for (; packed > 0n; packed >>= 8n) bytes.push(Number(packed & 0xffn));
  return Buffer.from(bytes);
}

/** Codes by their smallest value; each holds as many as its extra bits count. */
interface Codes {
  readonly smallest: readonly number[];
  readonly bits: readonly number[];
}

function codeOf({ smallest, bits }: Codes, value: number): Extra & { readonly code: number } {
  let code = 0;
  while (code + 1 < smallest.length && (smallest[code + 1] ?? 0) <= value) code++;
  return { code, bits: bits[code] ?? 0, extra: value - (smallest[code] ?? 0) };
}

function codes(first: number, bits: readonly number[]): Codes {
  const smallest: number[] = [];
  for (let at = first, code = 0; code < bits.length; at += 2 ** (bits[code++] ?? 0)) smallest.push(at);
  return { smallest, bits };
}

const none = (count: number) => new Array<number>(count).fill(0);
/** RFC 8878, §3.1.1.3.2.1.1. */
const literalCodes = codes(0, [...none(16), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
const matchCodes = codes(shortestMatch, [
  ...none(32),
  1,
  1,
  1,
  1,
  2,
  2,
  3,
  3,
  4,
  4,
  5,
  7,
  8,
  9,
  10,
  11,
  12,
  13,
  14,
  15,
  16,
]);
