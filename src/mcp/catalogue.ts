/** Everything that is published: named views of tools, each with one live owner, seen by callers as one snapshot. */
import { BehaviorSubject, type Observable } from 'rxjs';
import { CallScope } from './call-scope.js';
import type { Services } from './contract.js';
import type { Logger } from './log.js';
import type { Binding } from './projection.js';
import { ProjectionConflict, ProjectionError } from './projection-error.js';
import type { ResultText } from './results.js';
import type { PublishedTool, Snapshot, View } from './view.js';
import { type CheckedBinding, checkView, trustView } from './view-check.js';

export interface OfferOptions {
  /** `wrapped` unless said otherwise; only the built-in view is `bare`. */
  readonly text?: ResultText;
  /** The bindings are known to pass: the project's own are checked by its tests, not again at every start. */
  readonly trusted?: boolean;
}

/** The owner's handle of a published view. */
export interface ViewController {
  readonly name: string;
  readonly revision: number;
  /** Withdraws the tools, cancels and awaits the calls in flight, then frees the name. */
  dispose(): Promise<void>;
}

export class Catalogue {
  readonly #current = new BehaviorSubject<Snapshot>({ revision: 0, views: new Map(), tools: new Map() });
  /** Names in use, those of views that are being withdrawn included. */
  readonly #owners = new Map<string, CallScope>();

  constructor(
    readonly services: Services,
    readonly log: Logger,
  ) {}

  get snapshot(): Snapshot {
    return this.#current.value;
  }

  /** The current snapshot, then every later one. A publication is complete before anybody is told of it. */
  get snapshots$(): Observable<Snapshot> {
    return this.#current.asObservable();
  }

  /**
   * Publishes a view: all of it or nothing.
   * @throws ProjectionError with every reason at once; ProjectionConflict when a name has an owner already.
   */
  offer(name: string, bindings: readonly Binding[], options: OfferOptions = {}): ViewController {
    const { checked, problems, warnings } = options.trusted === true ? trustView(bindings) : checkView(bindings);
    const [first, ...rest] = problems;
    if (first !== undefined) throw new ProjectionError(name, [first, ...rest]);
    this.#refuseConflicts(name, checked);
    for (const warning of warnings) this.log.warn(warning, { view: name });
    const view: View = { name, revision: 1, text: options.text ?? 'wrapped', scope: new CallScope() };
    this.#owners.set(name, view.scope);
    this.#publish(view, checked);
    return { name, revision: view.revision, dispose: () => this.#dispose(view) };
  }

  /** Resolves when no call of any view is in flight. */
  async idle(): Promise<void> {
    await Promise.all([...this.#owners.values()].map((scope) => scope.idle()));
  }

  /** Aborts every call in flight: the server is going away. */
  async stop(): Promise<void> {
    await Promise.all([...this.#owners.values()].map((scope) => scope.close('the server is stopping')));
  }

  #refuseConflicts(name: string, checked: readonly CheckedBinding[]): void {
    if (this.#owners.has(name)) throw new ProjectionConflict('view', name, [name, name]);
    for (const { annotation } of checked) {
      const owner = this.snapshot.tools.get(annotation.name);
      if (owner !== undefined) throw new ProjectionConflict('tool', annotation.name, [owner.view.name, name]);
    }
  }

  #publish(view: View, checked: readonly CheckedBinding[]): void {
    const tools = new Map(this.snapshot.tools);
    for (const item of checked) tools.set(item.annotation.name, publishedTool(item, view));
    this.#swap(new Map(this.snapshot.views).set(view.name, view), tools);
  }

  async #dispose(view: View): Promise<void> {
    const views = new Map(this.snapshot.views);
    if (!views.delete(view.name)) return;
    const kept = [...this.snapshot.tools].filter(([, tool]) => tool.view.name !== view.name);
    this.#swap(views, new Map(kept));
    await view.scope.close(`the view '${view.name}' was withdrawn`);
    this.#owners.delete(view.name);
  }

  #swap(views: ReadonlyMap<string, View>, tools: ReadonlyMap<string, PublishedTool>): void {
    this.#current.next({ revision: this.snapshot.revision + 1, views, tools });
  }
}

/** Schemas stay with the checked binding, which may not have generated them yet. */
function publishedTool(item: CheckedBinding, view: View): PublishedTool {
  const { annotation, binding } = item;
  return {
    annotation,
    binding,
    view,
    get inputSchema() {
      return item.inputSchema;
    },
    get outputSchema() {
      return item.outputSchema;
    },
  };
}
