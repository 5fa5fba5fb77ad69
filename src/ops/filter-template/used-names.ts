/** Which names a template can use: without one of them a value changes nothing. */
import { splitTemplate } from './split-template.js';

/** Every word in the template's expressions and tags, those inside their strings too: rather a name too many. */
export function usedNames(template: string): Set<string> {
  const names = new Set<string>();
  for (const piece of splitTemplate(template)) {
    if (piece.kind === 'text') continue;
    for (const [word] of piece.expression.matchAll(/[\p{L}_][\p{L}\p{N}_]*/gu)) names.add(word);
  }
  return names;
}
