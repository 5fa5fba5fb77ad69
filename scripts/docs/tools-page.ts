/** docs/tools.md: what the tools say of themselves, with an example and the errors of each. */
import { coreTools } from '../../src/mcp/tools/index.js';
import { type CheckedBinding, checkView } from '../../src/mcp/view-check.js';
import { cell, fenced, generatedNotice, page } from './markdown.js';
import { type ToolNotes, toolNotes } from './tool-notes.js';

/** docs/tools.md */
export function toolsPage(): string {
  const { checked } = checkView(coreTools);
  return page([
    '# Tools',
    generatedNotice,
    'What each tool takes, what it answers and how it can fail. The same texts reach a client through `tools/list`; this page adds examples.',
    '## In general',
    [
      '- **Success**: one text block with the compact JSON of the result, and `structuredContent: {"value": <the same>}`.',
      '- **Failure**: `isError: true` and one text block with `{"kind", "code", "message", …, "hint"}`; see [errors.md](errors.md).',
      '- **`table`** is the directory name of the table. It is required unless the server runs in legacy mode (one table): `TABLE_REQUIRED` lists the names, `TABLE_NOT_FOUND` says that there is none of that name.',
      '- **`id`** is the full id (36 characters) or the start of it, in any letter case.',
      '- **Rows** are `{id, data, created_at, updated_at, version}`; times are Unix seconds, `version` counts the changes of the row.',
      '- **Unknown arguments** are refused, with the nearest name as `did_you_mean`. An object or array that arrives as a JSON string is parsed.',
      '- **Any tool** can answer `STORAGE_ERROR` (the disk), `CORRUPT_LOG` (a damaged log) or `INTERNAL` (a defect, with an incident id).',
    ].join('\n'),
    '## Overview',
    [
      '| tool | reads only | destructive | idempotent |',
      '| --- | --- | --- | --- |',
      ...checked.map(overviewLine),
    ].join('\n'),
    ...checked.flatMap(toolSection),
  ]);
}

function overviewLine({ annotation: { name, ...hints } }: CheckedBinding): string {
  const mark = (hint: boolean) => (hint ? 'yes' : '');
  return `| [${name}](#${name}) | ${mark(hints.readOnlyHint)} | ${mark(hints.destructiveHint)} | ${mark(hints.idempotentHint)} |`;
}

function toolSection(tool: CheckedBinding): string[] {
  const { name, description } = tool.annotation;
  const notes = toolNotes[name];
  if (notes === undefined) throw new Error(`scripts/docs/tool-notes.ts says nothing of the tool ${name}`);
  return [
    `## ${name}`,
    description,
    argumentTable(tool),
    ...exampleOf(notes),
    notes.notes.map((note) => `- ${note}`).join('\n'),
    errorLine(notes),
  ];
}

interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Property>>;
}

function argumentTable({ inputSchema }: CheckedBinding): string {
  const properties = Object.entries((inputSchema.properties ?? {}) as Record<string, Property>);
  const required = new Set((inputSchema.required ?? []) as string[]);
  if (properties.length === 0) return 'No arguments.';
  const lines = properties.map(([name, property]) => {
    const must = required.has(name) ? 'yes' : '';
    return `| \`${name}\` | ${typeOf(property)} | ${must} | ${cell(property.description ?? shapeOf(property))} |`;
  });
  return ['| argument | type | required | |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

function typeOf({ type, enum: values }: Property): string {
  return values === undefined ? (type ?? 'any') : values.map((value) => `\`${value}\``).join(' or ');
}

function shapeOf({ properties }: Property): string {
  return properties === undefined ? '' : `{${Object.keys(properties).join(', ')}}`;
}

function exampleOf({ arguments: input, result }: ToolNotes): string[] {
  return [fenced(input), 'answers', fenced(result)];
}

function errorLine({ errors }: ToolNotes): string {
  if (errors.length === 0) return 'Errors: those of every tool.';
  return `Errors: ${[...errors]
    .sort()
    .map((code) => `\`${code}\``)
    .join(', ')}.`;
}
