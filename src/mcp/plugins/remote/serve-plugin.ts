/** The worker's side: a catalogue of its own with the module's plugins, called by messages. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { errorOf } from '../../../ops/worker-thread.js';
import { callTool } from '../../call.js';
import { Catalogue } from '../../catalogue.js';
import { Services } from '../../contract.js';
import { createLogger } from '../../log.js';
import { openPolicy } from '../../publication.js';
import type { PublishedTool } from '../../view.js';
import { applyInOrder } from '../apply-in-order.js';
import { importPlugins } from '../import-plugin.js';
import { PluginHost } from '../plugin-host.js';
import { isOurs, PluginFailure } from '../plugin-status.js';
import { Store } from '../plugin-store.js';
import type { DescribedTool, Description, FromWorker, ToWorker, WorkerStart } from './messages.js';
import { RemoteStore } from './remote-store.js';

/** Loads the module and serves its tools until the thread is ended. */
export async function servePlugin(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('this file runs as a worker only');
  // The thread that starts it gives exactly this.
  await new PluginServer(port, workerData as WorkerStart).start();
}

class PluginServer {
  readonly #catalogue;
  readonly #calls = new Map<number, AbortController>();
  readonly #present = new AsyncLocalStorage<number>();
  readonly #store: RemoteStore;

  constructor(
    private readonly port: MessagePort,
    private readonly begin: WorkerStart,
  ) {
    this.#store = new RemoteStore((message) => this.#say(message), this.#present);
    const services = new Services().provide(Store, this.#store.service);
    const write = (line: string) => this.#say({ type: 'log', line });
    this.#catalogue = new Catalogue(services, createLogger({ level: begin.logLevel, colour: false, write }));
  }

  async start(): Promise<void> {
    this.port.on('message', (message: ToWorker) => this.#take(message));
    try {
      const plugins = await importPlugins(this.begin.module);
      await applyInOrder(new PluginHost(this.#catalogue), plugins);
      // The server publishes what it is told now: a change that it does not see must not look like one (P-22).
      this.#catalogue.governBy({ ...openPolicy, record: refuseChange });
      const named = plugins.map(({ name, version }) => ({ name, ...(version === undefined ? {} : { version }) }));
      this.#say({ type: 'ready', description: { plugins: named, views: this.#views() } });
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      const words = isOurs(error) ? message : null;
      this.#say({ type: 'failed', words, name, message, stack: inspect(error, { depth: 4 }) });
    }
  }

  #views(): Description['views'] {
    return [...this.#catalogue.snapshot.views.values()].map(({ name, contributor, tools }) => ({
      name,
      plugin: contributor?.plugin ?? '',
      ...(contributor?.version === undefined ? {} : { version: contributor.version }),
      tools: tools.map(described),
    }));
  }

  #take(message: ToWorker): void {
    switch (message.type) {
      case 'call':
        void this.#call(message);
        return;
      case 'cancel':
        this.#calls.get(message.id)?.abort(new Error('cancelled'));
        return;
      case 'stored':
        this.#store.answered(
          message.id,
          message.failure === undefined ? null : errorOf(message.failure),
          message.value,
        );
        return;
      case 'ping':
        this.#say({ type: 'pong' });
    }
  }

  async #call({ id, tool, arguments: given, caller }: Extract<ToWorker, { type: 'call' }>): Promise<void> {
    const controller = new AbortController();
    this.#calls.set(id, controller);
    const request = { name: tool, arguments: given, caller, signal: controller.signal };
    try {
      const result = await this.#present.run(id, () => callTool(this.#catalogue, request));
      const [block] = result.content;
      const text = block?.type === 'text' ? block.text : '';
      this.#say({ type: 'ended', id, text, isError: result.isError === true });
    } catch (error) {
      this.#say({ type: 'ended', id, cutOff: error instanceof Error ? error.message : String(error) });
    } finally {
      this.#calls.delete(id);
    }
  }

  #say(message: FromWorker): void {
    this.port.postMessage(message);
  }
}

function described({ annotation, binding, inputSchema, outputSchema }: PublishedTool): DescribedTool {
  const { service, operation } = binding;
  const { name, title, description, readOnlyHint, destructiveHint, idempotentHint, openWorldHint, output } = annotation;
  // JSON Schemas are JSON; their members have no type of their own.
  const plain = (schema: object): DescribedTool['input'] => JSON.parse(JSON.stringify(schema));
  return {
    service,
    operation: operation.id,
    version: operation.version,
    annotation: { name, title, description, readOnlyHint, destructiveHint, idempotentHint, openWorldHint, output },
    input: plain(inputSchema),
    ...(outputSchema === undefined ? {} : { output: plain(outputSchema) }),
  };
}

function refuseChange(): never {
  throw new PluginFailure('the views of a plugin in a worker change when it is started anew: change its file');
}
