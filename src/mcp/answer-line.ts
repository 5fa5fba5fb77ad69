/** The line of a message on stdout, kept within what clients read. */
import { isJSONRPCResultResponse, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { encodeJson } from '../schema/json.js';

/** In bytes. Clients made with the TypeScript SDK hang up at a line of 10 MiB, and the session with all its tools is lost. */
export const largestAnswerBytes = 10_000_000;

/**
 * The JSON of a message. An answer that is too large goes without the copy in `structuredContent`; when that is not
 * enough, an error that says so takes its place.
 */
export function answerLine(message: JSONRPCMessage): string {
  const text = encodeJson(message);
  if (fits(text) || !isJSONRPCResultResponse(message)) return text;
  const { structuredContent, ...result } = message.result;
  const once = structuredContent === undefined ? text : encodeJson({ ...message, result });
  return fits(once) ? once : encodeJson(refusal(message.id, once));
}

function fits(text: string): boolean {
  return text.length <= largestAnswerBytes / 3 || Buffer.byteLength(text) <= largestAnswerBytes;
}

function refusal(id: string | number, text: string): JSONRPCMessage {
  const megabytes = Math.ceil(Buffer.byteLength(text) / 1e6);
  const message =
    `The answer has ${megabytes} MB, and 10 MB are the most over stdio. If the call was to write, it has written. ` +
    'Ask for less: a smaller limit, some fields only, a part of a text by content_view with view_range.';
  return { jsonrpc: '2.0', id, error: { code: -32603, message } };
}
