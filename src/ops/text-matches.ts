/** Occurrences of a text in another, and where they are in the words of the content tools (storage.md §11). */
import type { Stretch } from './text-lines.js';

/** Where an occurrence is: line and column count from 1 in the whole field, the column in UTF-8 bytes. */
export interface Candidate {
  readonly line: number;
  readonly col: number;
  /** The occurrence with up to 30 bytes around it, cut between characters. */
  readonly snippet: string;
}

const shownCandidates = 20;
const contextBytes = 30;

/** How often `wanted` occurs, from left to right and without overlap. */
export function countMatches(text: string, wanted: string): number {
  let matches = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) matches++;
  return matches;
}

/** The first 20 occurrences inside a stretch of the text. */
export function candidates(text: string, wanted: string, { start, end }: Stretch): Candidate[] {
  const found: Candidate[] = [];
  let line = 1;
  let lineStart = 0;
  let at = text.indexOf(wanted, start);
  while (at !== -1 && at + wanted.length <= end && found.length < shownCandidates) {
    for (let lf = text.indexOf('\n', lineStart); lf !== -1 && lf < at; lf = text.indexOf('\n', lineStart)) {
      line++;
      lineStart = lf + 1;
    }
    const col = Buffer.byteLength(text.slice(lineStart, at)) + 1;
    found.push({ line, col, snippet: snippet(text, at, at + wanted.length) });
    at = text.indexOf(wanted, at + wanted.length);
  }
  return found;
}

function snippet(text: string, start: number, end: number): string {
  return lastBytes(text.slice(0, start).slice(-contextBytes)) + text.slice(start, end) + firstBytes(text, end);
}

// A character has at least as many bytes as code units, so 30 units hold all that can be shown.
function lastBytes(text: string): string {
  const characters = [...(isLowSurrogate(text.charCodeAt(0)) ? text.slice(1) : text)];
  let from = characters.length;
  for (let bytes = 0; from > 0; from--) {
    bytes += Buffer.byteLength(characters[from - 1] ?? '');
    if (bytes > contextBytes) break;
  }
  return characters.slice(from).join('');
}

function firstBytes(text: string, at: number): string {
  let shown = '';
  let bytes = 0;
  for (const character of text.slice(at, at + contextBytes + 1)) {
    bytes += Buffer.byteLength(character);
    if (bytes > contextBytes) break;
    shown += character;
  }
  return shown;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
