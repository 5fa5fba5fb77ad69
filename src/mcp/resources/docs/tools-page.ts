/** `docs://tools`, from what the catalogue publishes at this moment. */
import { definitionOf, type Snapshot, type ToolDefinition } from '../../view.js';

export function toolsPage(snapshot: Snapshot): string {
  const tools = [...snapshot.tools.values()].map(definitionOf);
  return `# Tools Reference

${tools.length} tools. \`table\` names a mounted table; it may be left out only in legacy single-table mode, otherwise the call answers \`TABLE_REQUIRED\`. Unknown arguments are refused. A failure has \`isError\` and one JSON object \`{kind, code, message, hint, ...}\`; see \`docs://errors\`.

${tools.map(section).join('\n')}`;
}

function section(tool: ToolDefinition): string {
  const { readOnlyHint, destructiveHint, idempotentHint } = tool.annotations;
  const hints = [
    readOnlyHint ? 'reads only' : 'writes',
    ...(destructiveHint ? ['destructive'] : []),
    ...(idempotentHint ? ['idempotent'] : []),
  ];
  return `## ${tool.name}

${tool.title} (${hints.join(', ')}). ${tool.description}

${argumentLines(tool.inputSchema)}
`;
}

function argumentLines(schema: unknown): string {
  const { properties, required } = members(schema);
  const names = Object.keys(members(properties));
  if (names.length === 0) return 'No arguments.';
  const needed = Array.isArray(required) ? required : [];
  return names.map((name) => argumentLine(name, members(properties)[name], needed.includes(name))).join('\n');
}

function argumentLine(name: string, schema: unknown, required: boolean): string {
  const { type, description, enum: values } = members(schema);
  const kind = Array.isArray(values)
    ? values.map((value) => `\`${String(value)}\``).join(' or ')
    : String(type ?? 'any');
  const about = typeof description === 'string' ? `: ${description}` : '';
  return `- \`${name}\` (${kind}${required ? ', required' : ''})${about}`;
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
