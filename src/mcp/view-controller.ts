/** The owner's handle of a published view: one action at a time, and what an accepted one publishes. */
import { type Observable, Subject } from 'rxjs';
import type { Binding } from './binding.js';
import { CallScope } from './call-scope.js';
import type { Contributor } from './contributor.js';
import { ProjectionError } from './projection-error.js';
import type { ViewRevision } from './publication.js';
import type { ResultText } from './results.js';
import type { View } from './view.js';
import type { CheckedBinding } from './view-check.js';

/** What `offer` returns. */
export interface ViewController {
  readonly name: string;
  readonly revision: number;
  /** The newest 32 revisions, oldest first (P-27). */
  readonly history: readonly ViewRevision[];
  /** Every later revision, after it was published. A listener that throws breaks nothing (P-25). */
  readonly changed$: Observable<ViewRevision>;
  /**
   * Publishes other bindings under the same view (P-22).
   * @throws ProjectionError when they cannot be published, another action is running, or the view is withdrawn;
   * ProjectionConflict when a tool name has another owner. The old revision stays.
   */
  update(bindings: readonly Binding[]): Promise<void>;
  /**
   * Checks the bindings, runs the action, and publishes them if its outcome is accepted; resolves with the outcome either
   * way. The action and the publication belong to the view's owner: they end with it, not with who called (P-23), who may
   * drop the promise: a failure is logged too.
   * @throws what the action throws, and what `update` throws; before the action starts where that can be known.
   */
  updateAfter<T>(
    action: (signal: AbortSignal) => T | Promise<T>,
    bindings: readonly Binding[],
    accepted: (outcome: T) => boolean,
  ): Promise<T>;
  /** Withdraws the tools, cancels and awaits the calls in flight, notifies, then frees the name (P-28). */
  dispose(): Promise<void>;
}

export interface OwnerOptions {
  readonly text: ResultText;
  readonly trusted: boolean;
  readonly contributor: Contributor | undefined;
}

/** What a controller needs of the catalogue. */
export interface ViewHost {
  /** Checks the bindings and claims their names. @throws ProjectionError, ProjectionConflict */
  claim(owner: OwnedView, bindings: readonly Binding[]): readonly CheckedBinding[];
  /** Records and publishes. Resolves after everybody was told. */
  publish(owner: OwnedView, checked: readonly CheckedBinding[]): Promise<void>;
  /** Gives up the names that are claimed and not published. */
  release(owner: OwnedView): void;
  withdraw(owner: OwnedView): Promise<void>;
  /** Logs the failure of an action, which its caller may not look at. */
  failed(owner: OwnedView, error: unknown): void;
}

export class OwnedView implements ViewController {
  readonly scope = new CallScope();
  /** What is published; the last that was, once withdrawn. Set by the catalogue. */
  view: View | null = null;
  readonly #changes = new Subject<ViewRevision>();
  #running = false;
  #disposed: Promise<void> | undefined;

  constructor(
    readonly name: string,
    readonly options: OwnerOptions,
    private readonly host: ViewHost,
  ) {}

  get revision(): number {
    return this.view?.revision ?? 0;
  }

  get history(): readonly ViewRevision[] {
    return this.view?.history ?? [];
  }

  get changed$(): Observable<ViewRevision> {
    return this.#changes.asObservable();
  }

  /** Who offers the view, as conflicts name it. */
  get contributor(): string {
    return this.options.contributor?.plugin ?? this.name;
  }

  update(bindings: readonly Binding[]): Promise<void> {
    return this.updateAfter(
      () => undefined,
      bindings,
      () => true,
    );
  }

  updateAfter<T>(
    action: (signal: AbortSignal) => T | Promise<T>,
    bindings: readonly Binding[],
    accepted: (outcome: T) => boolean,
  ): Promise<T> {
    const acting = this.#start(action, bindings, accepted);
    // Whoever drops the promise has not handled its failure, which must not end the process.
    acting.catch((error: unknown) => this.host.failed(this, error));
    return acting;
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.host.withdraw(this).then(() => this.#changes.complete());
    return this.#disposed;
  }

  /** @throws ProjectionError once the view was disposed of: nothing is published after that. */
  throwIfWithdrawn(bindings: readonly Binding[]): void {
    if (this.#disposed === undefined && !this.scope.signal.aborted) return;
    throw this.#refusal(bindings, 'the view was withdrawn');
  }

  /** Called by the catalogue with what it has just published. */
  tell(revision: ViewRevision): void {
    this.#changes.next(revision);
  }

  async #start<T>(
    action: (signal: AbortSignal) => T | Promise<T>,
    bindings: readonly Binding[],
    accepted: (outcome: T) => boolean,
  ): Promise<T> {
    if (this.#running) throw this.#refusal(bindings, 'another action of this view is running');
    this.throwIfWithdrawn(bindings);
    const checked = this.host.claim(this, bindings);
    this.#running = true;
    return this.scope.track(() => this.#act(action, checked, accepted));
  }

  async #act<T>(
    action: (signal: AbortSignal) => T | Promise<T>,
    checked: readonly CheckedBinding[],
    accepted: (outcome: T) => boolean,
  ): Promise<T> {
    try {
      const outcome = await this.#unlessWithdrawn(action, checked);
      // A plain JavaScript callback may answer with a promise, which accepts nothing.
      if (accepted(outcome) === true) await this.host.publish(this, checked);
      return outcome;
    } finally {
      this.#running = false;
      this.host.release(this);
    }
  }

  /** A withdrawal ends the wait; the action is told by its signal. */
  async #unlessWithdrawn<T>(
    action: (signal: AbortSignal) => T | Promise<T>,
    checked: readonly CheckedBinding[],
  ): Promise<T> {
    const { signal } = this.scope;
    let abandon = () => {};
    const withdrawn = new Promise<never>((_, reject) => {
      abandon = () => reject(new Error('withdrawn'));
      signal.addEventListener('abort', abandon, { once: true });
    });
    try {
      return await Promise.race([action(signal), withdrawn]);
    } finally {
      signal.removeEventListener('abort', abandon);
      this.throwIfWithdrawn(checked.map(({ binding }) => binding));
    }
  }

  #refusal(bindings: readonly Binding[], reason: string): ProjectionError {
    const [first] = bindings;
    const operation = first === undefined ? '' : `${first.operation.id}@${first.operation.version}`;
    return new ProjectionError(this.name, [{ service: first?.service ?? '', operation, reason }]);
  }
}
