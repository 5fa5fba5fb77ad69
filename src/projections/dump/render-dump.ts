/** The bytes of a markdown copy, exactly as storage.md §12 has them. Pure. */
import { asJsonObjectText, type JsonText, type Members, splitMembers } from '../../schema/json.js';
import type { DumpSettings } from '../../schema/table-schema.js';

/** `# <title>`, an empty line, the body without its trailing newlines, one newline. */
export function renderDump(data: JsonText, settings: Pick<DumpSettings, 'title_field' | 'body_field'>): string {
  // Raw SQL of other programs may have stored something else than an object; its copy is an empty one.
  const members: Members = asJsonObjectText(data) === null ? new Map() : splitMembers(data);
  const title = textOf(members.get(settings.title_field ?? 'title'));
  const body = withoutTrailingNewlines(textOf(members.get(settings.body_field ?? 'body')));
  return `# ${title}\n\n${body}\n`;
}

function textOf(value: JsonText | undefined): string {
  if (value === undefined || value === 'null') return '';
  if (!value.startsWith('"')) return compact(value);
  const text: unknown = JSON.parse(value);
  return String(text);
}

/** Drops white space outside of strings. Parsing and serialising would lose the digits of large integers. */
function compact(value: JsonText): string {
  return value.replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, (_match, text: string | undefined) => text ?? '');
}

function withoutTrailingNewlines(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 0x0a) end--;
  return text.slice(0, end);
}
