/** docs/errors.md: every code with its fields, its message and what to do. */
import { type ErrorCode, type ErrorFields, errorCodes, StoreError } from '../../src/errors.js';
import { coreTools } from '../../src/mcp/tools/index.js';
import { checkView } from '../../src/mcp/view-check.js';
import { errorExamples } from './error-examples.js';
import { cell, fenced, generatedNotice, page } from './markdown.js';
import { toolNotes } from './tool-notes.js';

/** docs/errors.md */
export function errorsPage(): string {
  return page([
    '# Errors',
    generatedNotice,
    'A failed call answers with `isError: true` and one text block that holds one JSON object:',
    fenced({ ...exampleError('VERSION_CONFLICT').toJSON(), row: { id: '3f2a…', data: {}, version: 2 } }),
    [
      '- `kind` says who can act: `input` – the arguments were wrong; `business` – the caller, by code and hint; `system` – only an operator: report the incident id, do not repeat the call in a loop.',
      '- `code` is one of the table below. Match on it, not on `message`.',
      '- The **fields** of the code stand beside it. Wrong arguments add `issues` (path and message of each), `did_you_mean` and `arguments`.',
      '- `hint` says what to do next.',
      '- Nothing here ever holds a stack, an SQL statement or a path outside the data directories. The cause is in the log on stderr, under the incident id.',
    ].join('\n'),
    'An unknown tool or a malformed request is a JSON-RPC error. An error of a resource is one too, with the code in `data.code`.',
    '## Codes',
    [
      '| code | fields | for example | what to do |',
      '| --- | --- | --- | --- |',
      ...errorCodes.map((code) => errorLineOf(code)),
    ].join('\n'),
    'Worth trying again: `BUSY`, the same call after `retry_after_ms`; `VERSION_CONFLICT`, with the version of the current row that it carries. The others need another call.',
    '## Which tool answers with which',
    ['| code | tools |', '| --- | --- |', ...errorCodes.flatMap(toolsLine)].join('\n'),
  ]);
}

function exampleError<C extends ErrorCode>(code: C): StoreError<C> {
  const fields: ErrorFields[C] = errorExamples[code];
  return new StoreError(code, fields);
}

function errorLineOf(code: ErrorCode): string {
  const error = exampleError(code);
  const fields = Object.keys(error.fields).map((field) => `\`${field}\``);
  return `| \`${code}\` | ${fields.join(', ')} | ${cell(error.message)} | ${cell(error.hint)} |`;
}

function toolsLine(code: ErrorCode): string[] {
  const published = new Set(checkView(coreTools).checked.map((tool) => tool.annotation.name));
  const tools = Object.entries(toolNotes).filter(([name, { errors }]) => published.has(name) && errors.includes(code));
  if (tools.length === 0) return [];
  return [`| \`${code}\` | ${tools.map(([name]) => `[${name}](tools.md#${name})`).join(', ')} |`];
}
