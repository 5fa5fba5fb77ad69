/**
 * Every event type, its current version and the shape of its body. The log's format is frozen (rulings 3.12): a new shape
 * is a new version plus an upcaster from the one before; fixtures under test/fixtures hold logs of every version.
 */
import { z } from 'zod';
import { StoreError } from '../errors.js';
import type { JsonText } from '../schema/json.js';
import { aliasShape } from './alias-body.js';
import type { EventContent } from './types.js';
import { viewDecisionShape, viewPublishedShape } from './view-body.js';

const data = z.record(z.string(), z.unknown());
const seconds = z.number().int();
const historyOff = z.literal('off').optional();
const splices = z.array(z.tuple([z.number().int().min(0), z.number().int().min(0), z.string()]));
const patch = {
  set: data.optional(),
  unset: z.array(z.string()).optional(),
  splice: z.record(z.string(), splices).optional(),
  order: z.array(z.string()).optional(),
};
const count = z.number().int().min(0);

export interface EventDefinition {
  /** The version that is written today. */
  readonly version: number;
  readonly body: z.ZodType;
  /** One step from each older version to the next: `upcasters[1]` turns version 1 into 2. */
  readonly upcasters?: Readonly<Record<number, Upcaster>>;
}

/** Turns the body of one version into the body of the next. Pure. */
export type Upcaster = (body: JsonText) => JsonText;

export const eventCatalogue: Readonly<Record<string, EventDefinition>> = {
  'row.created': {
    version: 1,
    /** Times only where a batch's own SQL set them. */
    body: z.strictObject({ data, created_at: seconds.optional(), updated_at: seconds.optional(), history: historyOff }),
  },
  'row.updated': {
    version: 1,
    body: z.strictObject({
      ...patch,
      data: data.optional(),
      /** With the whole row, where the log may be compacted to this event. */
      created_at: seconds.optional(),
      updated_at: seconds.optional(),
      history: historyOff,
    }),
  },
  'row.deleted': { version: 1, body: z.strictObject({ history: historyOff }) },
  'row.restored': {
    version: 1,
    body: z.strictObject({
      from_version: count.optional(),
      ...patch,
      data: data.optional(),
      /** Instead of `data`, where the row was no JSON object. */
      text: z.string().optional(),
      created_at: seconds.optional(),
      history: historyOff,
    }),
  },
  /** A row that was there when the database was adopted. */
  'row.imported': {
    version: 1,
    body: z.strictObject({
      data: data.optional(),
      text: z.string().optional(),
      created_at: seconds,
      updated_at: seconds,
    }),
  },
  /** A change that somebody else made to `rows`, recorded afterwards. */
  'row.reconciled': {
    version: 1,
    body: z.strictObject({
      op: z.enum(['create', 'update', 'delete']),
      ...patch,
      data: data.optional(),
      /** Instead of `data`, where what somebody wrote is no JSON object. */
      text: z.string().optional(),
      created_at: seconds.optional(),
      updated_at: seconds.optional(),
      history: historyOff,
    }),
  },
  'table.adopted': {
    version: 1,
    body: z.strictObject({
      rows: count,
      rows_digest: z.string(),
      history_entries: count,
      history_digest: z.string(),
      aliases: count,
    }),
  },
  'alias.created': { version: 1, body: aliasShape },
  /** An alias that was found elsewhere: in a table's own database, or put into this one by another program. */
  'alias.migrated': { version: 1, body: aliasShape.extend({ from: z.string() }) },
  'alias.deleted': { version: 1, body: z.strictObject({ name: z.string() }) },
  /** The table's schema.yaml as whole texts; null: there was or is none. */
  'schema.changed': {
    version: 1,
    body: z.strictObject({
      before: z.string().nullable(),
      after: z.string().nullable(),
      scope: z.enum(['user', 'project', 'legacy']),
    }),
  },
  /** A view of tools was published, as the server's `_global.db` knows them. */
  'view.published': { version: 1, body: viewPublishedShape },
  /** An operator allowed, or no longer allows, that the tools of a managed view are called. */
  'view.approved': { version: 1, body: viewDecisionShape },
  'view.revoked': { version: 1, body: viewDecisionShape },
  'history.purged': {
    version: 1,
    body: z.strictObject({
      days: count,
      max_per_row: count,
      /** Row id, first and last version of each run of entries that went. */
      removed: z.array(z.tuple([z.string(), count, count])),
    }),
  },
  /**
   * The events up to `upto` that a later event of the same row made superfluous were removed (rulings 3.8). `hash` is that
   * of `upto`, the last one removed; `kept` is the SHA-256 of the hashes of the events up to `upto` that stayed.
   */
  'log.compacted': {
    version: 1,
    body: z.strictObject({ upto: count, hash: z.string(), removed: count, kept: z.string() }),
  },
  /** A rebuild replaced a projection; the rows named are those whose foreign changes it discarded. */
  'projection.rebuilt': {
    version: 1,
    body: z.strictObject({ projection: z.string(), discarded: z.array(z.string()), differences: count }),
  },
};

/** An event in today's shape. @throws StoreError UNKNOWN_EVENT for a type or version that is not in the catalogue. */
export function upcast<E extends EventContent & { readonly seq: number }>(event: E, catalogue = eventCatalogue): E {
  const definition = catalogue[event.type];
  if (definition?.version === event.version) return event;
  if (definition === undefined || event.version > definition.version) {
    throw new StoreError('UNKNOWN_EVENT', { seq: event.seq, type: event.type, version: event.version });
  }
  let body = event.body;
  for (let version = event.version; version < definition.version; version++) {
    const step = definition.upcasters?.[version];
    if (step === undefined) throw new StoreError('UNKNOWN_EVENT', { seq: event.seq, type: event.type, version });
    body = step(body);
  }
  return { ...event, version: definition.version, body };
}

/** Whether the catalogue knows how to read this event. */
export function isKnown(event: Pick<EventContent, 'type' | 'version'>, catalogue = eventCatalogue): boolean {
  const definition = catalogue[event.type];
  return definition !== undefined && event.version <= definition.version;
}

/** Checks at start that every version has its one step to the next: no gap, and no step that leads back or nowhere. */
export function checkCatalogue(catalogue = eventCatalogue): void {
  for (const [type, definition] of Object.entries(catalogue)) {
    const steps = Object.keys(definition.upcasters ?? {}).map(Number);
    for (let version = 1; version < definition.version; version++) {
      if (!steps.includes(version)) throw new Error(`event ${type} has no upcaster from version ${version}`);
    }
    const stray = steps.find((step) => step < 1 || step >= definition.version);
    if (stray !== undefined)
      throw new Error(`event ${type} has an upcaster from version ${stray}, which leads nowhere`);
  }
}

/** Today's version of an event type. */
export function currentVersion(type: string): number {
  const definition = eventCatalogue[type];
  if (definition === undefined) throw new Error(`no event type ${type}`);
  return definition.version;
}
