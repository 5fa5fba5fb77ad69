/** The JSON text of an edited string, from the text of the string before: what follows the edit is not encoded once more. */
import { type JsonText, jsonText } from '../schema/json.js';
import { commonEnds } from './splice.js';

/**
 * A JSON text of `after`: what stays keeps the very text that it had.
 * @param raw the JSON text of `before`, however somebody wrote it; of `null` where `before` is empty.
 */
export function editedString(raw: JsonText, before: string, after: string): JsonText {
  const { offset, before: removed, after: inserted } = commonEnds(before, after);
  // Read from the start, because only there it is certain where a character begins.
  const kept = jsonText(before.slice(0, offset)).slice(0, -1);
  const gone = encoded(removed);
  if (!raw.startsWith(kept) || !raw.startsWith(gone, kept.length)) return jsonText(after);
  return `${kept}${encoded(inserted)}${raw.slice(kept.length + gone.length)}` as JsonText;
}

/** As it stands between the quotes. */
function encoded(text: string): string {
  return jsonText(text).slice(1, -1);
}
