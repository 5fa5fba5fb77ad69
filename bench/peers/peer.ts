/** A server that keeps records, seen as the three calls that all such servers have in some form. */
import type { ServerCommand } from '../client/stdio-client.js';

export interface PeerCall {
  readonly tool: string;
  readonly args: unknown;
}

export interface Peer {
  readonly name: string;
  /** Prepares the empty directory and says how the server is started there. @throws Unavailable. */
  prepare(directory: string): ServerCommand | Promise<ServerCommand>;
  /** The call that makes record number `index`. */
  create(index: number): PeerCall;
  /** Changes the record that `create` answered with. */
  update(index: number, created: unknown): PeerCall;
  get(index: number, created: unknown): PeerCall;
}
