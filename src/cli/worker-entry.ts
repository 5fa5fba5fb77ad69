/** One `worker:` entry of MINI_APP_PLUGINS: started, and changed for what its file holds when that is asked for. */
import type { WorkerReport } from '../mcp/plugins/load-plugins.js';
import type { Plugin } from '../mcp/plugins/plugin.js';
import { RemotePlugin, type RemotePluginOptions } from '../mcp/plugins/remote/remote-plugin.js';

export type WorkerEntryOptions = Omit<RemotePluginOptions, 'onGivenUp'>;

export class WorkerEntry {
  #plugin: RemotePlugin | null = null;
  #isGivenUp = false;
  #isBusy = false;
  #isAsked = false;
  #isStopped = false;

  constructor(
    private readonly options: WorkerEntryOptions,
    private readonly report: WorkerReport,
  ) {}

  /** Resolves when its views are published. @throws PluginFailure, ProjectionError, ProjectionConflict, Error. */
  async start(): Promise<Pick<Plugin, 'name' | 'version'>> {
    this.#isBusy = true;
    try {
      return await this.#begin();
    } finally {
      this.#isBusy = false;
      // In a later turn: whoever started it reports the outcome of that first.
      if (this.#isAsked) setImmediate(() => void this.reload());
    }
  }

  /**
   * Starts what the file holds now. Asked for during a change, it happens once more after that one: the file may have
   * changed since it was read. Never rejects: what fails is reported, and what ran before goes on.
   */
  async reload(): Promise<void> {
    this.#isAsked = true;
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#isAsked && !this.#isStopped) {
      this.#isAsked = false;
      await this.#change();
    }
    this.#isBusy = false;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#plugin?.stop();
  }

  async #change(): Promise<void> {
    const plugin = await this.#running();
    try {
      if (plugin === null) await this.#begin();
      else await plugin.reload();
      if (this.#plugin !== null) this.report.running(this.#plugin.named);
    } catch (error) {
      if (plugin === null) this.report.failed(error);
      else this.report.kept(error);
    }
  }

  /** One that was given up has to be gone before its names can be had again. */
  async #running(): Promise<RemotePlugin | null> {
    if (!this.#isGivenUp) return this.#plugin;
    await this.#plugin?.stop();
    this.#plugin = null;
    this.#isGivenUp = false;
    return null;
  }

  async #begin(): Promise<Pick<Plugin, 'name' | 'version'>> {
    const plugin = await RemotePlugin.start({ ...this.options, onGivenUp: (words) => this.#gone(words) });
    this.#plugin = plugin;
    if (this.#isStopped) await plugin.stop();
    return plugin.named;
  }

  #gone(words: string): void {
    this.#isGivenUp = true;
    this.report.gone(words);
  }
}
