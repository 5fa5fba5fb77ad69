/** A follower at work, for whoever mounts a table: start it, wait for it, ask how it fares, stop it. */
import { filter, firstValueFrom, merge, type Observable, shareReplay, timer } from 'rxjs';
import { defaultBackOff } from './back-off.js';
import type { ReadableLog } from './drain.js';
import { type FollowOptions, follow } from './follow.js';
import { progressOf } from './progress.js';
import type { Follower, FollowerStatus, Progress } from './projection.js';

export class RunningFollower {
  readonly #progress$: Observable<Progress>;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  readonly #follower: Follower;
  readonly #options: FollowOptions;
  #waitedInVain = false;
  #last: Progress = { position: 0, state: 'live', lastError: null };

  /** Starts at once. `options.stop` is not used: see {@link close}. */
  constructor(log: ReadableLog, follower: Follower, options: FollowOptions) {
    this.#follower = follower;
    this.#options = options;
    this.#progress$ = follow(log, follower, { ...options, stop: this.#stop.signal }).pipe(shareReplay(1));
    this.#ended = new Promise((resolve, reject) => {
      const next = (progress: Progress) => {
        this.#last = progress;
        if (progress.state === 'live') this.#waitedInVain = false;
      };
      this.#progress$.subscribe({ next, complete: resolve, error: reject });
    });
  }

  /**
   * Resolves when everything up to `seq` is applied, by this process or another one; when the follower is parked; or
   * after `timeoutMs`, at once when it fails and a call has waited for it in vain since. It never rejects: a failure shows
   * in {@link status}.
   */
  async settled(seq: number, timeoutMs = 2_000): Promise<void> {
    if (this.#waitedInVain) return;
    // A timer that keeps the process alive: a command must not end before what it waits for.
    const done$ = this.#progress$.pipe(filter((progress) => progress.position >= seq || progress.state === 'parked'));
    await firstValueFrom(merge(done$, timer(timeoutMs)), { defaultValue: undefined });
    this.#waitedInVain = this.#last.state !== 'live';
  }

  /** Read from the database now; `head` is the log's. */
  status(head: number): FollowerStatus {
    const { name, version } = this.#follower;
    const progress = this.#read(name, version);
    return { name, ...progress, lag: Math.max(0, head - progress.position) };
  }

  /** Stops after the batch in progress; the lease is free when this resolves. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  #read(name: string, version: number): Progress {
    const checkpoint = this.#options.checkpoints.read(name);
    if (checkpoint === null) return this.#last;
    const progress = progressOf(checkpoint, version, this.#options.backOff ?? defaultBackOff);
    // A failure that could not even be recorded is known here only.
    const unrecorded = progress.state === 'live' && this.#last.state === 'parked' && this.#last.position === 0;
    return unrecorded ? { ...this.#last, position: progress.position } : progress;
  }
}
