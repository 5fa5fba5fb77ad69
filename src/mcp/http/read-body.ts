/** The JSON body of a request, read up to a bound. */
import type { IncomingMessage } from 'node:http';
import type { Refusal } from './refusal.js';

/** In bytes. */
export const maxBodyBytes = 8 * 1024 * 1024;

export type Body = { readonly value: unknown } | { readonly refusal: Refusal };

const tooLarge: Body = {
  refusal: { status: 413, message: `Payload Too Large: a request may have ${maxBodyBytes} bytes` },
};

/** Nothing is parsed unless it is declared to be JSON and complete. */
export async function readJsonBody(request: IncomingMessage): Promise<Body> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    return { refusal: { status: 415, message: 'Unsupported Media Type: Content-Type must be application/json' } };
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return tooLarge;
  const text = await readText(request);
  return text === null ? tooLarge : parsed(text);
}

/** Null when there is too much of it. @throws when the client leaves before the end. */
async function readText(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size > maxBodyBytes) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): Body {
  try {
    return { value: JSON.parse(text.replace(/^\ufeff/, '')) };
  } catch {
    return { refusal: { status: 400, code: -32_700, message: 'Parse error: the body is not JSON' } };
  }
}
