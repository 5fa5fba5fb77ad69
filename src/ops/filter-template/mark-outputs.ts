/**
 * Rewrites a template so that each value it outputs passes through our own filter, which puts an inert placeholder in its
 * place. What the rendered text then consists of besides placeholders is the template's own text, never a parameter's.
 */
import { type Marks, type Piece, splitTemplate } from './split-template.js';

/** The filter that outputs pass through: the value, and the engine's text of it. */
export const outputFilter = '_mini_app_output';
const held = '_mini_app_value';

/** The names of the tags that can be used; others output text past the filter or need other templates. */
const allowedTags = new Set(
  'if elif else endif for endfor set endset with endwith macro endmacro do break continue'.split(' '),
);

/** The rewritten template, or the reason why it cannot be used. */
export type Marked = { readonly source: string } | { readonly refused: string };

export function markOutputs(template: string): Marked {
  let captured = 0;
  let source = '';
  for (const piece of splitTemplate(template)) {
    if (piece.kind === 'tag' && !allowedTags.has(piece.name)) return { refused: refusalOf(piece.name) };
    captured += captureStep(piece);
    // What is captured becomes a value, and is an output when it is output.
    source += piece.kind === 'output' && captured === 0 ? markedOutput(piece.expression, piece.marks) : piece.source;
  }
  return { source };
}

function refusalOf(tag: string): string {
  return `the tag '${tag}' cannot be used in a filter template; use ${[...allowedTags].join(', ')}`;
}

function captureStep(piece: Piece): number {
  if (piece.kind !== 'tag') return 0;
  if (piece.name === 'macro' || isBlockSet(piece)) return 1;
  return piece.name === 'endmacro' || piece.name === 'endset' ? -1 : 0;
}

/** `{% set x %}…{% endset %}`, a filter included, as against `{% set x = … %}`. */
function isBlockSet({ name, expression }: Extract<Piece, { kind: 'tag' }>): boolean {
  return name === 'set' && !/^\s*[^=|]*=/.test(expression);
}

function markedOutput(expression: string, { open, close }: Marks): string {
  const punctuation = constantPunctuation(expression, open, close);
  if (punctuation !== null) return punctuation;
  const hold = `{%${open} set ${held} = (${expression}) %}`;
  // Whether an undefined value may be output is for the engine to say.
  const undefinedToo = `{% if ${held} is undefined %}{{ ${held} }}{% else %}{{ ${held}|${outputFilter}(${held}|string) }}`;
  return `${hold}${undefinedToo}{% endif ${close}%}`;
}

const literal = `(?:"([\\s,:\\[\\]]*)"|'([\\s,:\\[\\]]*)')`;
const separator = new RegExp(`^\\s*${literal}\\s+if\\s+([^"']+?)(?:\\s+else\\s+${literal})?\\s*$`);

/** `{{ "," if not loop.last }}` is text of the template, and stays text of the rendered filter. */
function constantPunctuation(expression: string, open: string, close: string): string | null {
  const match = separator.exec(expression);
  if (match === null || /\belse\b/.test(match[3] ?? '')) return null;
  const [, a, b, condition = '', c, d] = match;
  return `{%${open} if ${condition} %}${a ?? b ?? ''}{% else %}${c ?? d ?? ''}{% endif ${close}%}`;
}
