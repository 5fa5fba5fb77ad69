/** Single settings out of the environment. A blank value counts as unset; a malformed one is never replaced by a default. */
import { StoreError } from '../errors.js';

/** The environment as a process has it. */
export type Env = Readonly<Record<string, string | undefined>>;

export const maxUnsigned32 = 4_294_967_295;

export function textSetting(env: Env, variable: string): string | null {
  const value = env[variable];
  return value === undefined || value.trim() === '' ? null : value;
}

/** An integer from `least` to 2^32−1. @throws StoreError CONFIG_ERROR naming the variable and what is allowed. */
export function integerSetting<T>(env: Env, variable: string, least: number, fallback: T): number | T {
  const text = textSetting(env, variable);
  if (text === null) return fallback;
  const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= maxUnsigned32) return value;
  throw malformedSetting(variable, `an integer from ${least} to ${maxUnsigned32}`, text);
}

/** true, 1, false or 0 in any letter case. @throws StoreError CONFIG_ERROR naming the variable and what is allowed. */
export function booleanSetting(env: Env, variable: string, fallback: boolean): boolean {
  const text = textSetting(env, variable);
  if (text === null) return fallback;
  if (/^(true|1)$/i.test(text)) return true;
  if (/^(false|0)$/i.test(text)) return false;
  throw malformedSetting(variable, 'true, 1, false or 0', text);
}

/** Entries between commas; none when it is unset. @throws StoreError CONFIG_ERROR naming the variable and what is allowed. */
export function listSetting(env: Env, variable: string, allowed: string): string[] {
  const text = textSetting(env, variable);
  if (text === null) return [];
  const entries = text.split(',').map((entry) => entry.trim());
  const isOdd = entries.some((entry) => entry === '' || entry.includes('\0'));
  if (isOdd) throw malformedSetting(variable, allowed, text.replaceAll('\0', '?'));
  return entries;
}

/** CONFIG_ERROR: `<variable> must be <allowed>; got '<text>'`. */
export function malformedSetting(variable: string, allowed: string, text: string): StoreError<'CONFIG_ERROR'> {
  const got = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return new StoreError('CONFIG_ERROR', { detail: `${variable} must be ${allowed}; got '${got}'`, variable });
}
