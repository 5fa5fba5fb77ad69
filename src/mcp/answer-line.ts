/** The line of a message on stdout, kept within what clients read. */
import { isJSONRPCResultResponse, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { encodeJson } from '../schema/json.js';

/** In bytes. Clients made with the TypeScript SDK hang up at a line of 10 MiB, and the session with all its tools is lost. */
export const largestAnswerBytes = 10_000_000;

/**
 * The JSON of a message. An answer that is too large is in `structuredContent` only, which clients insist on where a tool
 * has an output schema; its text says so. When that is not enough, an error takes its place.
 */
export function answerLine(message: JSONRPCMessage): string {
  const text = encodeJson(message);
  if (fits(text) || !isJSONRPCResultResponse(message)) return text;
  const { result } = message;
  if (result.structuredContent === undefined) return encodeJson(refusal(message.id, text));
  const once = encodeJson({ ...message, result: { ...result, content: [{ type: 'text', text: note }] } });
  return fits(once) ? once : encodeJson(refusal(message.id, once));
}

const note = JSON.stringify({
  note: 'The result is in structuredContent only: with its copy here the answer would be more than the 10 MB that clients read over stdio. Ask for less: a smaller limit, some fields only, a part of a text by content_view with view_range.',
});

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
