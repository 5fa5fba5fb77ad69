/** Tool results exactly as rulings 1.1 and 1.2 have them: one text block; structured content for successes only. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { StoreError } from '../errors.js';
import { encodeJson } from '../schema/json.js';

/** `bare`: the text is the value itself, as the built-in tools answer. `wrapped`: the text is the structured content. */
export type ResultText = 'bare' | 'wrapped';

/**
 * A success with a value. RawJson inside stays exact in both places, because the transport writes it as it is.
 * @throws TypeError when JSON has no text for the value.
 */
export function valueResult(value: unknown, text: ResultText): CallToolResult {
  if (value === undefined) throw new TypeError('the success value is undefined, which JSON cannot hold');
  const structuredContent = { value };
  return {
    content: [{ type: 'text', text: encodeJson(text === 'bare' ? value : structuredContent) }],
    structuredContent,
    isError: false,
  };
}

/** A success that has nothing to tell. */
export function voidResult(): CallToolResult {
  return { content: [{ type: 'text', text: '{"ok":true}' }], isError: false };
}

/** A failure that the caller can read: an error of the closed set. */
export function errorResult(error: StoreError): CallToolResult {
  return failure(error.toJSON());
}

/** A declared error of a contract: beside `kind` when it has a code of its own, under `error` otherwise. */
export function declaredErrorResult(value: unknown): CallToolResult {
  return failure(
    hasCode(value)
      ? Object.assign({ kind: 'business' }, value, { kind: 'business' })
      : { kind: 'business', error: value },
  );
}

/** A failure that another thread has put into words already, as the text of its result. */
export class WireFailure extends Error {
  override readonly name = 'WireFailure';

  constructor(readonly text: string) {
    super('a call in a worker failed');
  }
}

export function wireFailureResult({ text }: WireFailure): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function failure(body: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text: encodeJson(body) }], isError: true };
}

function hasCode(value: unknown): value is { readonly code: string } {
  return typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string';
}
