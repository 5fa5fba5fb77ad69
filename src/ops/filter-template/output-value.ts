/** What the engine hands to filters, as JSON. */
import type { JsonValue } from '../../schema/json.js';

/** A value that may stand outside of quotes: a scalar, or a list of scalars; undefined for anything else. */
export function bareValue(value: unknown): JsonValue | undefined {
  if (typeof value === 'string') return numberOrBoolean(value);
  if (Array.isArray(value)) return value.some(isNested) ? undefined : jsonOf(value);
  return isNested(value) ? undefined : jsonOf(value);
}

/** Any value as JSON; undefined for what JSON cannot say. The engine gives maps as Map and none as undefined. */
export function jsonOf(value: unknown): JsonValue | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return all(value.map(jsonOf));
  return value instanceof Map ? objectOf(value) : undefined;
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Some clients send every parameter as text; the text of a number or a boolean is nothing but that. */
function numberOrBoolean(text: string): JsonValue | undefined {
  return /^(true|false|-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?)$/.test(text) ? jsonOf(JSON.parse(text)) : undefined;
}

function objectOf(map: ReadonlyMap<unknown, unknown>): JsonValue | undefined {
  const members = [...map].map(([key, value]) => [String(key), jsonOf(value)] as const);
  return all(members.map(([, value]) => value)) === undefined ? undefined : Object.fromEntries(members.filter(isWhole));
}

function isWhole(member: readonly [string, JsonValue | undefined]): member is readonly [string, JsonValue] {
  return member[1] !== undefined;
}

function all(values: readonly (JsonValue | undefined)[]): JsonValue[] | undefined {
  const whole = values.filter((value) => value !== undefined);
  return whole.length === values.length ? whole : undefined;
}
