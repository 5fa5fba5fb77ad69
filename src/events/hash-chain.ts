/**
 * The hash chain: every event's hash covers every one of its columns and the hash before it, as SHA-256 over RFC 8785
 * canonical JSON (rulings 3.1). It proves that nothing inside the log was changed or removed; that the log is complete up
 * to its newest event is only proven against a head that was kept elsewhere.
 */
import { hash } from 'node:crypto';
import type { StoredEvent } from './types.js';

/** What the first event of a log names as the hash before it. */
export const genesisHash = '0'.repeat(64);

/** The hash of an event: 64 lower-case hexadecimal digits. */
export function hashOf(event: Omit<StoredEvent, 'hash'>): string {
  return hash('sha256', canonical(event), 'hex');
}

/** Members stand in canonical order and are strings, safe integers or null; written out because it is on the hot path. */
function canonical(event: Omit<StoredEvent, 'hash'>): string {
  const text = JSON.stringify;
  return `{"actor":${text(event.actor)},"at":${event.at},"body":${text(event.body)},"commit":${event.commit},\
"event_version":${event.version},"idempotency_key":${text(event.idempotencyKey)},"origin":${text(event.origin)},\
"outcome":${text(event.outcome)},"prev_hash":"${event.prevHash}","request_digest":${text(event.requestDigest)},\
"row_id":${text(event.rowId)},"row_version":${event.rowVersion},"seq":${event.seq},"type":${text(event.type)}}`;
}
