/** What changed between an approved view and the published one, in words for whoever decides. */
import { diffLines } from 'diff';
import type { ViewTool } from '../events/view-body.js';

const texts = ['title', 'description', 'operation', 'version', 'service', 'output'] as const;
const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;
const schemas = ['inputSchema', 'outputSchema'] as const;

/** Lines; none when both are the same. A tool that is new is shown whole. */
export function viewDifference(before: readonly ViewTool[], after: readonly ViewTool[]): string[] {
  const names = [...new Set([...before, ...after].map(({ name }) => name))].sort();
  return names.flatMap((name) => toolDifference(name, named(before, name), named(after, name)));
}

function named(tools: readonly ViewTool[], name: string): ViewTool | undefined {
  return tools.find((tool) => tool.name === name);
}

function toolDifference(name: string, before: ViewTool | undefined, after: ViewTool | undefined): string[] {
  if (after === undefined) return [`- tool ${visible(name)} is gone`];
  if (before === undefined) return [`+ tool ${visible(name)} is new`, ...wholeTool(after)];
  const lines = [
    ...[...texts, ...hints].flatMap((key) => valueDifference(key, before[key], after[key])),
    ...schemas.flatMap((key) => schemaDifference(key, before[key], after[key])),
  ];
  return lines.length === 0 ? [] : [`~ tool ${visible(name)} changes`, ...lines];
}

function wholeTool(tool: ViewTool): string[] {
  const values = [...texts, ...hints].map((key) => `    ${key}: ${shown(tool[key])}`);
  return [...values, ...schemas.flatMap((key) => schemaDifference(key, undefined, tool[key]))];
}

function valueDifference(key: string, before: unknown, after: unknown): string[] {
  return before === after ? [] : [`    ${key}:`, `      - ${shown(before)}`, `      + ${shown(after)}`];
}

/** What a plugin wrote, on one line and without power over the screen that it is shown on. */
export function shown(value: unknown): string {
  return visible(String(value)).replaceAll('\n', '\\n');
}

function schemaDifference(key: string, before: object | undefined, after: object | undefined): string[] {
  const parts = diffLines(pretty(before), pretty(after));
  if (parts.every(({ added, removed }) => !added && !removed)) return [];
  const lines = parts.flatMap(({ value, added, removed }) => {
    const mark = added ? '+' : removed ? '-' : ' ';
    return visible(value)
      .trimEnd()
      .split('\n')
      .map((line) => `      ${mark} ${line}`);
  });
  return [`    ${key}:`, ...lines];
}

function pretty(schema: object | undefined): string {
  return schema === undefined ? '' : `${JSON.stringify(schema, null, 2)}\n`;
}

/** With every control and format character but the line break of a schema's own layout as an escape. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (sign) =>
    sign === '\n' ? sign : `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
