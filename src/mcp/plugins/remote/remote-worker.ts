/** One worker thread with a plugin's module, as the server sees it: calls, cancellation, signs of life, its end. */
import type { Worker } from 'node:worker_threads';
import type { Caller } from '../../../events/types.js';
import { failureOf } from '../../../ops/serve-jobs.js';
import { startWorker } from '../../../ops/worker-thread.js';
import { isJsonObject } from '../../../schema/json.js';
import type { Logger } from '../../log.js';
import { PluginFailure } from '../plugin-status.js';
import type { PluginStore } from '../plugin-store.js';
import { askStore } from './ask-store.js';
import { type Description, type FromWorker, fromWorker, type ToWorker, type WorkerStart } from './messages.js';

export interface RemoteWorkerOptions {
  readonly start: WorkerStart;
  readonly log: Logger;
  readonly store: PluginStore;
  /** Memory of the thread's JavaScript, in MiB. */
  readonly memoryMb: number;
}

type End = Extract<FromWorker, { type: 'ended' }>;

/** A call that ended in the worker. */
export interface RemoteResult {
  readonly text: string;
  readonly isError: boolean;
}

interface Pending {
  readonly caller: Caller;
  resolve(result: RemoteResult): void;
  reject(error: Error): void;
}

/**
 * A worker with calls under way that leaves this many pings in a row unanswered, 5 s of them, is ended. Pings are counted and
 * not the time: when the server stood still itself, it has asked nobody meanwhile, and the answers are not read yet.
 */
const mostUnanswered = 10;
const pingEveryMs = 500;

export class RemoteWorker {
  /** What it publishes. Rejects with PluginFailure when the module cannot be used, Error when the thread ends first. */
  readonly description: Promise<Description>;
  /** Resolves with why it ended; never rejects. */
  readonly ended: Promise<string>;
  readonly #worker: Worker;
  readonly #calls = new Map<number, Pending>();
  readonly #watch: NodeJS.Timeout;
  #lastId = 0;
  #unanswered = 0;
  #end: (why: string) => void = () => undefined;
  #described: { resolve(value: Description): void; reject(error: Error): void } | null = null;
  #isRetired = false;
  #isAlive = true;

  constructor(private readonly options: RemoteWorkerOptions) {
    this.description = new Promise((resolve, reject) => {
      this.#described = { resolve, reject };
    });
    this.description.catch(() => undefined);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#worker = this.#spawn();
    this.#watch = setInterval(() => this.#look(), pingEveryMs);
    this.#watch.unref();
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** @param onId is told the id by which {@link cancel} knows the call. @throws Error when the worker ends before it. */
  call(
    tool: string,
    given: Readonly<Record<string, unknown>>,
    caller: Caller,
    onId: (id: number) => void,
  ): Promise<RemoteResult> {
    // What is said to a thread that has ended is answered by nobody.
    if (!this.#isAlive) return Promise.reject(new Error('the worker of the plugin ended before the call'));
    const id = ++this.#lastId;
    if (this.#calls.size === 0) this.#unanswered = 0;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { caller, resolve, reject });
      this.#say({ type: 'call', id, tool, arguments: given, caller });
      onId(id);
    });
  }

  cancel(id: number): void {
    this.#say({ type: 'cancel', id });
  }

  /** The call counts as ended, whatever the worker still does for it: it writes in nobody's name any more. */
  forget(id: number): void {
    this.#calls.get(id)?.reject(new Error('the call was given up'));
    this.#calls.delete(id);
    this.#endIfDone();
  }

  /** Takes no new calls; ends when those under way have. */
  retire(): void {
    // In a later turn: what was admitted in this one is not under way yet.
    setImmediate(() => {
      this.#isRetired = true;
      this.#endIfDone();
    });
  }

  async stop(why = 'it was stopped'): Promise<void> {
    this.#lost(why);
    await this.#worker.terminate();
  }

  #spawn(): Worker {
    const worker = startWorker('plugin-worker', this.options.start, {
      resourceLimits: { maxOldGenerationSizeMb: this.options.memoryMb },
      stdout: true,
      stderr: true,
    });
    // What a plugin prints belongs to the log; stdout is the protocol's.
    for (const stream of [worker.stdout, worker.stderr])
      stream.on('data', (chunk: Buffer) => process.stderr.write(chunk));
    worker.on('message', (message: unknown) => this.#take(message));
    worker.on('error', (error) => this.#failed(error));
    worker.on('exit', (code) => this.#lost(`its thread ended with code ${code}`));
    worker.unref();
    return worker;
  }

  /** What nobody caught in the thread has ended it. */
  #failed(error: Error): void {
    this.options.log.error('the thread of a plugin failed', { module: this.options.start.module, error });
    this.#lost(`it failed: ${error.message}`);
  }

  #take(message: unknown): void {
    this.#unanswered = 0;
    if (isEnd(message)) {
      this.#settle(message);
      return;
    }
    const parsed = fromWorker.safeParse(message);
    if (parsed.success) this.#handle(parsed.data);
    else void this.stop('it said what is no message');
  }

  #handle(message: FromWorker): void {
    switch (message.type) {
      case 'ready':
        this.#described?.resolve(message.description);
        return;
      case 'failed':
        this.#described?.reject(startFailure(message));
        return;
      case 'ended':
        this.#settle(message);
        return;
      case 'store':
        void this.#ask(message);
        return;
      case 'log':
        process.stderr.write(message.line);
    }
  }

  #settle({ id, text, isError = false, cutOff }: End): void {
    const pending = this.#calls.get(id);
    this.#calls.delete(id);
    if (text === undefined) pending?.reject(cutOffError(cutOff));
    else pending?.resolve({ text, isError });
    this.#endIfDone();
  }

  /** The caller is that of the call under way, whatever the worker says: it cannot write in somebody else's name. */
  async #ask({ id, call, method, input }: Extract<FromWorker, { type: 'store' }>): Promise<void> {
    const pending = this.#calls.get(call);
    try {
      if (pending === undefined) throw new Error('the call has ended');
      const value = await askStore(this.options.store, method, input, { caller: pending.caller });
      this.#say({ type: 'stored', id, value });
    } catch (error) {
      this.#say({ type: 'stored', id, failure: failureOf(error) });
    }
  }

  #look(): void {
    if (this.#calls.size === 0) return;
    if (this.#unanswered === mostUnanswered) void this.stop('it gave no sign of life');
    else this.#say({ type: 'ping' });
    this.#unanswered++;
  }

  #endIfDone(): void {
    if (this.#isRetired && this.#calls.size === 0) void this.stop('a newer version took its place');
  }

  #lost(why: string): void {
    this.#isAlive = false;
    clearInterval(this.#watch);
    this.#described?.reject(new Error(why));
    this.#described = null;
    const pending = [...this.#calls.values()];
    this.#calls.clear();
    for (const { reject } of pending) reject(new Error(`the worker of the plugin ended during the call: ${why}`));
    this.#end(why);
  }

  #say(message: ToWorker): void {
    this.#worker.postMessage(message);
  }
}

/** What failed in the worker, as an error here: the log shows the worker's stack. */
function startFailure({ words, name, message, stack }: Extract<FromWorker, { type: 'failed' }>): Error {
  const failure = words === null ? Object.assign(new Error(message), { name }) : new PluginFailure(words);
  failure.stack = stack;
  return failure;
}

/** Nearly every message is the end of a call: seen here in a microsecond, where the full check takes many. */
function isEnd(message: unknown): message is End {
  if (!isJsonObject(message) || message.type !== 'ended' || typeof message.id !== 'number') return false;
  const { text, isError, cutOff } = message;
  const isText = (value: unknown) => value === undefined || typeof value === 'string';
  return isText(text) && isText(cutOff) && (isError === undefined || typeof isError === 'boolean');
}

/** Its name tells that it is the end which was asked for, where one was. */
function cutOffError(reason = ''): Error {
  return Object.assign(new Error(`the call was cut off: ${reason}`), { name: 'AbortError' });
}
