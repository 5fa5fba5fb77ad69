/** What an event is, before and after it is in the log (rulings 3.1). */
import type { JsonText, Members } from '../schema/json.js';

/** Where a command came from. Stored with every event it causes, as JSON. */
export interface Origin {
  /** The tool, or `cli:<command>` for the command line. */
  readonly tool: string;
  /** The protocol's request id. */
  readonly request?: string | undefined;
  readonly client?: string | undefined;
  readonly client_version?: string | undefined;
  readonly protocol?: string | undefined;
  /** The plugin whose tool it was, as `name@version`. */
  readonly plugin?: string | undefined;
  /** One per server process or HTTP session. */
  readonly session: string;
}

/** Who asks, and from where. */
export interface Caller {
  readonly actor: string;
  readonly origin: Origin;
}

/** What every event has, in the log or on its way there. */
export interface EventContent {
  readonly type: string;
  readonly version: number;
  /** Null for an event of the whole table. */
  readonly rowId: string | null;
  readonly body: JsonText;
}

/** An event that is not in the log yet. */
export interface NewEvent extends EventContent {
  /** The row's version after it, where that is not simply the next one. */
  readonly rowVersion?: number;
  /** The members of the body, where whoever made it has them at hand: a write need not take it apart again. */
  readonly members?: Members;
  /** The row's id is a fresh one, so there is nothing to look up of the row before. */
  readonly isFresh?: true;
  /** Who caused it, where that is not the command's caller. */
  readonly caller?: Caller;
}

/** An event with its place in the log. `at` is Unix milliseconds. */
export interface RecordedEvent extends EventContent {
  readonly seq: number;
  /** Events of one transaction share it. */
  readonly commit: number;
  /** The per-row counter after this event; null for an event of the whole table. */
  readonly rowVersion: number | null;
  readonly actor: string;
  /** {@link Origin} as JSON text. */
  readonly origin: JsonText;
  readonly at: number;
}

/** An event as the log keeps it. Hashes are 64 lower-case hexadecimal digits. */
export interface StoredEvent extends RecordedEvent {
  readonly idempotencyKey: string | null;
  /** SHA-256 of the arguments that came with the key. */
  readonly requestDigest: string | null;
  /** What a repeated call with the same key is answered with, as JSON text. */
  readonly outcome: JsonText | null;
  readonly prevHash: string;
  readonly hash: string;
}

/** What a row is at one version: the state that a row's events fold to. Times are Unix seconds. */
export interface RowState {
  readonly id: string;
  readonly data: JsonText;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
}
