/** Who calls, as far as the protocol tells: a client introduces itself once (2025 era) or with every request (2026 era). */
import {
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Caller } from '../events/types.js';

export interface CallerDefaults {
  /** The operator's name for whoever acts; the client's own name when absent. */
  readonly actor?: string | undefined;
  /** One id per process or HTTP session. */
  readonly session: string;
}

/** The caller that is recorded with every event of the request. */
export function callerOf(server: Server, context: ServerContext, tool: string, defaults: CallerDefaults): Caller {
  const given = context.mcpReq.envelope;
  const envelope = given === undefined ? {} : envelopeSchema.parse(given);
  const client = envelope[CLIENT_INFO_META_KEY] ?? introductionOf(server.getClientVersion());
  return {
    actor: defaults.actor ?? client?.name ?? 'unknown',
    origin: {
      tool,
      request: String(context.mcpReq.id).slice(0, maxNameLength),
      client: client?.name,
      client_version: client?.version,
      protocol: envelope[PROTOCOL_VERSION_META_KEY] ?? server.getNegotiatedProtocolVersion(),
      session: defaults.session,
    },
  };
}

/** A client of the 2025 era introduces itself once, so that is read once. */
const introductions = new WeakMap<object, z.output<typeof clientSchema>>();

function introductionOf(given: object | undefined): z.output<typeof clientSchema> {
  if (given === undefined) return undefined;
  if (!introductions.has(given)) introductions.set(given, clientSchema.parse(given));
  return introductions.get(given);
}

/** These texts are kept with every event, so a client does not choose how much is stored. In UTF-16 units. */
const maxNameLength = 200;
const nameSchema = z.string().transform((name) => name.slice(0, maxNameLength).toWellFormed().replaceAll('\0', ''));
const clientSchema = z.object({ name: nameSchema, version: nameSchema }).optional().catch(undefined);
const envelopeSchema = z.object({
  [CLIENT_INFO_META_KEY]: clientSchema,
  [PROTOCOL_VERSION_META_KEY]: nameSchema.optional().catch(undefined),
});
