/** Answers of the HTTP layer itself: JSON always, never a page, a stack or a path. */
import type { ServerResponse } from 'node:http';

export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** The JSON-RPC code; -32000 unless there is a better one. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The body of a refusal: a JSON-RPC error without an id, which protocol clients can show. */
export function refusalBody({ message, code = -32_000 }: Refusal): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
}

/** Sends a refusal and gives up on the rest of the request, if it was not read. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent || response.destroyed) return;
  // What is still on its way cannot be skipped cheaply, and a connection in the middle of a body serves no next request.
  const unread = response.req.complete ? {} : { Connection: 'close' };
  sendJson(response, refusal.status, refusalBody(refusal), { ...refusal.headers, ...unread });
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = Buffer.from(body);
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': bytes.length, ...headers })
    .end(bytes);
}
