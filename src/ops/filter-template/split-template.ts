/**
 * A template's text as the pieces that the engine sees. Only the outermost structure is read here; expressions are the
 * engine's business, and a template that it refuses is never split.
 */

export type Piece =
  /** Text, comments and raw blocks: what stays as it is. */
  | { readonly kind: 'text'; readonly source: string }
  | { readonly kind: 'output'; readonly source: string; readonly expression: string; readonly marks: Marks }
  | { readonly kind: 'tag'; readonly source: string; readonly name: string; readonly expression: string };

/** `-` or `+` behind the opening and before the closing braces: whitespace control. */
export interface Marks {
  readonly open: string;
  readonly close: string;
}

export function splitTemplate(template: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < template.length) {
    const start = nextOpening(template, at);
    if (start > at) pieces.push({ kind: 'text', source: template.slice(at, start) });
    if (start === template.length) break;
    const piece = pieceAt(template, start);
    pieces.push(piece);
    at = start + piece.source.length;
  }
  return pieces;
}

function nextOpening(template: string, from: number): number {
  const found = /\{[{%#]/g;
  found.lastIndex = from;
  return found.exec(template)?.index ?? template.length;
}

const rawBlock = /\{%[-+]?\s*raw\s*[-+]?%\}[\s\S]*?\{%[-+]?\s*endraw\s*[-+]?%\}/y;

function pieceAt(template: string, start: number): Piece {
  const opening = template[start + 1];
  if (opening === '#') return { kind: 'text', source: upTo(template, start, template.indexOf('#}', start + 2)) };
  rawBlock.lastIndex = start;
  const raw = rawBlock.exec(template)?.[0];
  if (raw !== undefined) return { kind: 'text', source: raw };
  const source = upTo(template, start, endOfExpression(template, start + 2, opening === '{' ? '}}' : '%}'));
  return opening === '{' ? outputPiece(source) : tagPiece(source);
}

function upTo(template: string, start: number, end: number): string {
  return template.slice(start, end === -1 ? template.length : end + 2);
}

/** Where the closing braces stand that belong to neither a string nor a map of the expression. */
function endOfExpression(template: string, from: number, closing: string): number {
  let depth = 0;
  for (let at = from; at < template.length; at++) {
    const char = template[at] ?? '';
    if (depth === 0 && template.startsWith(closing, at)) return at;
    if (char === '"' || char === "'") at = endOfString(template, at);
    else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) depth--;
  }
  return -1;
}

function endOfString(template: string, start: number): number {
  const quote = template[start];
  let at = start + 1;
  while (at < template.length && template[at] !== quote) at += template[at] === '\\' ? 2 : 1;
  return at;
}

function outputPiece(source: string): Piece {
  const [, open = '', expression = '', close = ''] = /^\{\{([-+]?)([\s\S]*?)([-+]?)\}\}$/.exec(source) ?? [];
  return { kind: 'output', source, expression, marks: { open, close } };
}

function tagPiece(source: string): Piece {
  const [, name = '', expression = ''] = /^\{%[-+]?\s*(\w*)([\s\S]*?)[-+]?%\}$/.exec(source) ?? [];
  return { kind: 'tag', source, name, expression };
}
