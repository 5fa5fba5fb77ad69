import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { genesisHash, hashOf } from '../../src/events/hash-chain.js';
import type { StoredEvent } from '../../src/events/types.js';
import { canonicalJson } from '../../src/schema/canonical-json.js';
import type { JsonText } from '../../src/schema/json.js';

const event: Omit<StoredEvent, 'hash'> = {
  seq: 2,
  commit: 1,
  rowId: 'ä"\\\u2028😀',
  rowVersion: 1,
  type: 'row.created',
  version: 1,
  body: '{"data":{"b":1,"a":1.0}}' as JsonText,
  actor: 'tester',
  origin: '{"tool":"create","session":"s"}' as JsonText,
  idempotencyKey: 'k',
  requestDigest: 'd',
  outcome: '{"row":"x"}' as JsonText,
  at: 1_760_000_000_123,
  prevHash: genesisHash,
};

test.each([
  ['seq', { seq: 3 }],
  ['commit', { commit: 2 }],
  ['row id', { rowId: null }],
  ['row version', { rowVersion: 2 }],
  ['type', { type: 'row.updated' }],
  ['version', { version: 2 }],
  ['body', { body: '{"data":{"b":1,"a":1}}' as JsonText }],
  ['actor', { actor: 'other' }],
  ['origin', { origin: '{}' as JsonText }],
  ['key', { idempotencyKey: null }],
  ['digest', { requestDigest: null }],
  ['outcome', { outcome: null }],
  ['time', { at: 1_760_000_000_124 }],
  ['previous hash', { prevHash: '1'.repeat(64) }],
])('a change of the %s is another hash', (_name, change) => {
  expect(hashOf({ ...event, ...change })).not.toBe(hashOf(event));
});

test('the hash is SHA-256 of the canonical JSON of every column, and does not change with the program', () => {
  const columns = {
    seq: event.seq,
    commit: event.commit,
    row_id: event.rowId,
    row_version: event.rowVersion,
    type: event.type,
    event_version: event.version,
    body: event.body,
    actor: event.actor,
    origin: event.origin,
    idempotency_key: event.idempotencyKey,
    request_digest: event.requestDigest,
    outcome: event.outcome,
    at: event.at,
    prev_hash: event.prevHash,
  };
  expect(hashOf(event)).toBe(createHash('sha256').update(canonicalJson(columns)).digest('hex'));
  expect(hashOf(event)).toMatchInlineSnapshot(`"06050f28cde08ab6424589af830fb9ad2c4480248b8b5342adfc6a620bb72007"`);
});
