/**
 * Session ids of the 2025 era. Beside a random part an id holds what the client said of itself, so that a server that
 * never saw it, after a restart, can take the session up where it was. It proves nothing and guards nothing.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';

/** What `initialize` told of the client. */
export interface Introduction {
  readonly name: string;
  readonly version: string;
  readonly protocol: string;
}

const text = (most: number) => z.string().transform((value) => value.slice(0, most).toWellFormed());
const initializeParams = z.object({
  protocolVersion: text(20),
  clientInfo: z.object({ name: text(100), version: text(50) }),
});
const stored = z.tuple([text(100), text(50), text(20)]);

/** A fresh id for a client that sends these parameters of `initialize`. */
export function newSessionId(params: unknown): string {
  const parsed = initializeParams.safeParse(params);
  if (!parsed.success) return randomUUID();
  const { clientInfo, protocolVersion } = parsed.data;
  const told = JSON.stringify([clientInfo.name, clientInfo.version, protocolVersion]);
  return `${randomUUID()}.${Buffer.from(told).toString('base64url')}`;
}

/** Whether a text can be a session id: visible ASCII, as the protocol wants, and not endless. */
export function isSessionId(id: string): boolean {
  return /^[\x21-\x7e]{1,2048}$/.test(id);
}

/** The random part, which is short enough to be kept with every event. */
export function sessionName(id: string): string {
  return id.slice(0, 36);
}

/** Null for an id that was made elsewhere. */
export function introductionOf(id: string): Introduction | null {
  const told = /^[0-9a-f-]{36}\.([\w-]+)$/.exec(id)?.[1];
  if (told === undefined) return null;
  try {
    const [name, version, protocol] = stored.parse(JSON.parse(Buffer.from(told, 'base64url').toString('utf8')));
    return { name, version, protocol };
  } catch {
    return null;
  }
}
