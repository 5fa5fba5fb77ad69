/** What an event changed, in a few words for people. */
import { diffLines } from 'diff';
import type { EventContent } from '../events/types.js';
import { type JsonText, parseJson, splitMembers } from '../schema/json.js';

const longest = 100;

/** A row's change by field; what an event of the whole table says, in short. */
export function eventSummary(event: Pick<EventContent, 'type' | 'rowId' | 'body'>): string {
  if (event.type === 'schema.changed') return schemaSummary(JSON.parse(event.body));
  const body = splitMembers(event.body);
  return event.rowId === null ? tableSummary(body) : rowSummary(body);
}

type Members = ReturnType<typeof splitMembers>;

function rowSummary(body: Members): string {
  const text = body.get('text');
  const parts = [
    ...fields(body.get('data') ?? body.get('set')),
    ...((parseJson(body.get('unset') ?? ('[]' as JsonText)) as string[]).map((name) => `-${name}`) ?? []),
    ...splices(body.get('splice')),
    ...(body.has('from_version') ? [`from version ${body.get('from_version')}`] : []),
    ...(text === undefined ? [] : [`not JSON: ${shortened(text, 24)}`]),
  ];
  return shortened(parts.join(' '), longest);
}

/** What is null was not given, and so was a limit of 0. */
function tableSummary(body: Members): string {
  return [...body]
    .filter(([name, value]) => value !== 'null' && !(value === '0' && (name === 'days' || name === 'max_per_row')))
    .map(([name, value]) => `${name} ${inShort(value)}`)
    .join(' ');
}

function inShort(value: JsonText): string {
  const parsed: unknown = parseJson(value);
  if (Array.isArray(parsed)) return `(${parsed.length})`;
  return shortened(typeof parsed === 'string' ? parsed : value, 40);
}

interface SchemaTexts {
  readonly before: string | null;
  readonly after: string | null;
  readonly scope: string;
}

function schemaSummary({ before, after, scope }: SchemaTexts): string {
  if (before === null) return `made in scope ${scope}`;
  if (after === null) return `taken away from scope ${scope}`;
  const lines = diffLines(before, after).flatMap(({ added, removed, value }) => {
    if (!added && !removed) return [];
    return value.split('\n').flatMap((line) => (line.trim() === '' ? [] : [`${added ? '+' : '-'}"${line.trim()}"`]));
  });
  return shortened(lines.join(' '), longest);
}

function fields(members: JsonText | undefined): string[] {
  if (members === undefined) return [];
  return [...splitMembers(members)].map(([name, value]) => `${name}=${shortened(value, 24)}`);
}

function splices(members: JsonText | undefined): string[] {
  if (members === undefined) return [];
  return [...splitMembers(members)].map(([name, list]) => {
    const changes = parseJson(list) as unknown as readonly [number, number, string][];
    const removed = changes.reduce((sum, [, count]) => sum + count, 0);
    const inserted = changes.reduce((sum, [, , text]) => sum + text.length, 0);
    return `${name}~(-${removed} +${inserted})`;
  });
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
