/** `.mini-app-mcp.env`: settings of a working directory (rulings §2 "env file"). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../errors.js';

export const envFileName = '.mini-app-mcp.env';

/** The variables of the file in a directory; empty without one. @throws StoreError CONFIG_ERROR naming file and line. */
export function readEnvFile(directory: string): Map<string, string> {
  try {
    return parseEnvFile(readFileSync(join(directory, envFileName), 'utf8'));
  } catch (error) {
    if (error instanceof StoreError) throw error;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
    throw new StoreError('CONFIG_ERROR', { detail: `${envFileName} cannot be read` }, { cause: error });
  }
}

/**
 * Lines `KEY=VALUE`, with `export ` before or not; empty lines and `#` comments. Unquoted values end at ` #`, single quotes
 * keep everything, double quotes know `\n \r \t \" \\ \$`. The first declaration of a name wins.
 * @throws StoreError CONFIG_ERROR naming file and line.
 */
export function parseEnvFile(text: string): Map<string, string> {
  const variables = new Map<string, string>();
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const declaration = parseLine(line);
    if (typeof declaration === 'string') throw malformed(index + 1, declaration);
    if (!variables.has(declaration.name)) variables.set(declaration.name, declaration.value);
  }
  return variables;
}

function parseLine(line: string): { name: string; value: string } | string {
  const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=\s*(.*?)\s*$/.exec(line);
  const [, name, written] = match ?? [];
  if (name === undefined || written === undefined) return 'expected KEY=VALUE';
  const value = parseValue(written);
  return value === null ? 'the quote is not closed, or text follows it' : { name, value };
}

function parseValue(written: string): string | null {
  const quote = written.charAt(0);
  if (quote !== '"' && quote !== "'") return written.replace(/(^|\s+)#.*$/, '');
  const pattern = quote === '"' ? /^"((?:[^"\\]|\\.)*)"(?:\s*#.*)?$/ : /^'([^']*)'(?:\s*#.*)?$/;
  const inner = pattern.exec(written)?.[1];
  if (inner === undefined) return null;
  return quote === "'" ? inner : inner.replace(/\\(.)/g, (sequence, letter: string) => escapes.get(letter) ?? sequence);
}

const escapes = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['"', '"'],
  ['\\', '\\'],
  ['$', '$'],
]);

function malformed(line: number, reason: string): StoreError<'CONFIG_ERROR'> {
  return new StoreError('CONFIG_ERROR', { detail: `${envFileName}:${line}: ${reason}` });
}
