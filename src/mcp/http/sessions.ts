/**
 * The sessions of the 2025 era. An id that is not known is adopted: it was given out before a restart, or swept while its
 * client was silent, and the client need not notice either. Only an id that its client ended is gone.
 */
import type { Server } from '@modelcontextprotocol/server';
import type { Logger } from '../log.js';
import { Session } from './session.js';
import { isSessionId, newSessionId, sessionName } from './session-id.js';

export interface SessionsOptions {
  /** A new server for a session; the name is recorded with its events. */
  createServer(session: string): Server;
  readonly log: Logger;
  /** A session without streams is forgotten after this time without a request, in milliseconds. */
  readonly idleMs?: number | undefined;
  readonly maxSessions?: number | undefined;
}

const sweepEveryMs = 30_000;
const maxEnded = 10_000;

export class Sessions {
  /** The one used longest ago first. */
  readonly #live = new Map<string, Session>();
  readonly #ended = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly options: SessionsOptions) {
    const idleMs = options.idleMs ?? 30 * 60_000;
    this.#timer = setInterval(() => this.sweep(idleMs), Math.min(sweepEveryMs, idleMs)).unref();
  }

  get size(): number {
    return this.#live.size;
  }

  has(session: Session): boolean {
    return this.#live.get(session.id) === session;
  }

  /** A new session for a client that sends `initialize` with these parameters. */
  open(params: unknown): Session {
    return this.#add(newSessionId(params), 'initialized');
  }

  /** The session of an id; null when its client ended it, or for a text that is no id. */
  resolve(id: string): Session | null {
    if (this.#ended.has(id) || !isSessionId(id)) return null;
    const session = this.#live.get(id);
    if (session === undefined) return this.#add(id, 'adopted');
    session.usedAt = performance.now();
    this.#live.delete(id);
    this.#live.set(id, session);
    return session;
  }

  /** A session for one request without an id, which the caller closes. */
  transient(): Session {
    const id = newSessionId(null);
    return new Session(id, this.options.createServer(id), 'initialized');
  }

  /** Ends a session for good. False when it has ended already. */
  async end(id: string): Promise<boolean> {
    if (this.#ended.has(id) || !isSessionId(id)) return false;
    this.#ended.add(id);
    for (const oldest of this.#ended) if (this.#ended.size > maxEnded) this.#ended.delete(oldest);
    await this.#close(this.#live.get(id));
    return true;
  }

  /** Forgets sessions that were not used for this long, in milliseconds. */
  sweep(idleMs: number): void {
    const before = performance.now() - idleMs;
    for (const session of this.#live.values()) {
      if (session.usedAt <= before && !session.transport.isBusy) void this.#close(session);
    }
  }

  endStreams(): void {
    for (const session of this.#live.values()) session.transport.endStreams();
  }

  async closeAll(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#live.values()].map((session) => this.#close(session)));
  }

  #add(id: string, origin: 'initialized' | 'adopted'): Session {
    this.#makeRoom();
    const session = new Session(id, this.options.createServer(sessionName(id)), origin);
    this.#live.set(id, session);
    this.options.log.debug(`session ${origin}`, { session: sessionName(id), sessions: this.#live.size });
    return session;
  }

  #makeRoom(): void {
    const most = this.options.maxSessions ?? 1_000;
    for (const session of this.#live.values()) {
      if (this.#live.size < most) return;
      if (!session.transport.isBusy) void this.#close(session);
    }
  }

  async #close(session: Session | undefined): Promise<void> {
    if (session === undefined) return;
    this.#live.delete(session.id);
    try {
      await session.close();
    } catch (error) {
      this.options.log.warn('closing a session failed', { error });
    }
  }
}
