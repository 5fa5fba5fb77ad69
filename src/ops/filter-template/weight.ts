/**
 * Whether a template can only make about as much as it is given. The engine counts steps, not what a step makes, and nothing
 * stops it inside of one: what might multiply is rendered in a process that can be killed.
 */
import { type Piece, splitTemplate } from './split-template.js';

/** True when rendering takes a few milliseconds and megabytes whatever the parameters hold. */
export function isLight(template: string, paramsLength: number): boolean {
  const pieces = splitTemplate(template);
  const code = pieces.flatMap((piece) => (piece.kind === 'text' ? [] : [piece.expression]));
  if (pieces.some(captures) || code.some(multiplies)) return false;
  const outputs = pieces.filter(({ kind }) => kind === 'output').length;
  const loops = pieces.filter((piece) => piece.kind === 'tag' && piece.name === 'for').length;
  const joins = code.flatMap((text) => withoutStrings(text).match(/\|\s*join\b/g) ?? []).length;
  if (joins > 1 || (joins === 1 && Math.max(template.length, paramsLength) > mostJoined)) return false;
  if (loops > 0 && template.length > mostLooped) return false;
  return (loops > 0 ? mostTurns : outputs) * paramsLength <= mostText;
}

/** About how many outputs the engine's fuel lasts for. */
const mostTurns = 8_000;
/** In characters. */
const mostText = 32_000_000;
const mostLooped = 4_000;
const mostJoined = 4_000;

/** Filters whose result is hardly longer than what they get. */
const plain = new Set(
  'abs bool capitalize count d default first float int items join keys last length list lower max min reverse round sort string sum title trim unique upper values'.split(
    ' ',
  ),
);

/** What a block captures can be captured again, twice. */
function captures(piece: Piece): boolean {
  if (piece.kind !== 'tag') return false;
  if (piece.name === 'macro' || piece.name === 'do') return true;
  return piece.name === 'set' && !/^\s*[\w\s,]*=/.test(piece.expression);
}

function multiplies(expression: string): boolean {
  const code = withoutStrings(expression);
  if (/[*+~]/.test(code)) return true;
  for (const [, filter = '', open] of code.matchAll(/\|\s*(\w*)\s*(\(?)/g)) {
    if (filter === 'tojson' && open === '') continue;
    if (!plain.has(filter)) return true;
  }
  const called = code.replaceAll(/\|\s*\w+\s*\(/g, '|').matchAll(/([\w)\]]+)\s*\(/g);
  return [...called].some(([, name = '']) => !/^(if|elif|else|and|or|not|in|is)$/.test(name));
}

function withoutStrings(expression: string): string {
  return expression.replaceAll(/"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'/g, "''");
}
