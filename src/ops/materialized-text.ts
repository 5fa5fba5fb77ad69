/** Rows as the text of files, in the four formats of `row_materialize` (storage.md §13). */

import { type JsonText, joinMembers, type Members, parseJson } from '../schema/json.js';
import { exactValue, prettyJson } from '../schema/json-tokens.js';

export const materializeFormats = ['raw', 'markdown', 'json', 'yaml'] as const;
export type MaterializeFormat = (typeof materializeFormats)[number];

export interface MaterializedRow {
  readonly id: string;
  /** What is shown of the row, in the order in which it is shown. */
  readonly members: Members;
}

export const fileEndings: Readonly<Record<MaterializeFormat, string>> = {
  raw: 'txt',
  markdown: 'md',
  json: 'json',
  yaml: 'yaml',
};

/** One file that holds one row. */
export async function rowText(format: MaterializeFormat, row: MaterializedRow): Promise<string> {
  const [text = ''] = await rowTexts(format, [row]);
  return text;
}

/** One file that holds them all. */
export async function concatenated(format: MaterializeFormat, rows: readonly MaterializedRow[]): Promise<string> {
  if (format === 'json')
    return prettyJson(`[${rows.map(({ members }) => joinMembers(members)).join(',')}]` as JsonText);
  const texts = await rowTexts(format, rows);
  if (format === 'raw') return texts.join('\n\n');
  return format === 'markdown' ? texts.join('\n---\n\n') : texts.map((text) => `---\n${text}`).join('');
}

async function rowTexts(format: MaterializeFormat, rows: readonly MaterializedRow[]): Promise<string[]> {
  switch (format) {
    case 'raw':
      return rows.map(({ members }) => [...members.values()].map(bare).join('\n'));
    case 'markdown':
      return rows.map(markdown);
    case 'json':
      return rows.map(({ members }) => prettyJson(joinMembers(members)));
    case 'yaml':
      return yamlTexts(rows);
  }
}

function markdown({ id, members }: MaterializedRow): string {
  const sections = [...members].map(([name, value]) => `\n## ${name}\n\n${bare(value)}\n`);
  return `# ${id}\n${sections.join('')}`;
}

/** Strings as they are, anything else as JSON. */
function bare(value: JsonText): string {
  const parsed = value.startsWith('"') ? parseJson(value) : value;
  return typeof parsed === 'string' ? parsed : value;
}

async function yamlTexts(rows: readonly MaterializedRow[]): Promise<string[]> {
  const { stringify } = await import('yaml');
  const options = { lineWidth: 0, aliasDuplicateObjects: false } as const;
  return rows.map(({ members }) => stringify(exactValue(joinMembers(members)), options));
}
