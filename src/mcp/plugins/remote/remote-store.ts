/** The store inside a worker: every method is a message. The server knows on whose behalf, by the call under way. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { PluginRow, PluginStore } from '../plugin-store.js';
import type { FromWorker } from './messages.js';

type Method = Extract<FromWorker, { type: 'store' }>['method'];

const noAtomically =
  'Store.atomically cannot be used in a worker, because a function cannot leave its thread: ' +
  'write with expected_version instead, or run the plugin without worker: in MINI_APP_PLUGINS';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class RemoteStore {
  #lastId = 0;
  readonly #waiting = new Map<number, Waiting>();

  constructor(
    private readonly say: (message: FromWorker) => void,
    private readonly present: AsyncLocalStorage<number>,
  ) {}

  readonly service: PluginStore = {
    get: (input) => this.#ask<PluginRow>('get', input),
    list: (input) => this.#ask<PluginRow[]>('list', input),
    create: (input) => this.#ask<PluginRow>('create', input),
    update: (input) => this.#ask<PluginRow>('update', input),
    delete: (input) => this.#ask<string>('delete', input),
    restore: (input) => this.#ask<PluginRow>('restore', input),
    // A mistake of the plugin's author, whom the log tells: there is nothing that the caller of its tool could correct.
    atomically: () => Promise.reject(new Error(noAtomically)),
  };

  answered(id: number, failure: Error | null, value: unknown): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (failure === null) waiting?.resolve(value);
    else waiting?.reject(failure);
  }

  #ask<T>(method: Method, input: object): Promise<T> {
    const call = this.present.getStore();
    if (call === undefined) return Promise.reject(new Error('the store is asked while a tool is called'));
    const id = ++this.#lastId;
    return new Promise<T>((resolve, reject) => {
      // The server answers each method with what the method answers there.
      this.#waiting.set(id, { resolve: (value) => resolve(value as T), reject });
      this.say({ type: 'store', id, call, method, input: { ...input } });
    });
  }
}
