/** Everything that is published: named views of tools, each with one live owner, seen by callers as one snapshot. */
import { BehaviorSubject, filter, type Observable, Subject } from 'rxjs';
import type { Binding } from './binding.js';
import type { Services } from './contract.js';
import type { Contributor } from './contributor.js';
import type { Logger } from './log.js';
import { ProjectionConflict, ProjectionError } from './projection-error.js';
import {
  digestOf,
  historyLength,
  metadataOf,
  openPolicy,
  type Publication,
  type PublicationPolicy,
  type ViewRevision,
} from './publication.js';
import type { ResultText } from './results.js';
import { isListedAs, type PublishedTool, type Snapshot, type View } from './view.js';
import { type CheckedBinding, checkInTurns, checkView, trustView } from './view-check.js';
import { OwnedView, type ViewController } from './view-controller.js';

export interface OfferOptions {
  /** `wrapped` unless said otherwise; only the built-in view is `bare`. */
  readonly text?: ResultText;
  /** The bindings are known to pass: the project's own are checked by its tests, not again at every start. */
  readonly trusted?: boolean;
  /** The plugin whose view it is. */
  readonly contributor?: Contributor | undefined;
}

/** Checking more tools than this would hold up others. */
const manyTools = 100;

export class Catalogue {
  readonly #current = new BehaviorSubject<Snapshot>({ revision: 0, views: new Map(), tools: new Map() });
  readonly #listChanged = new Subject<void>();
  /** Names in use, those of views that are being published or withdrawn included. */
  readonly #owners = new Map<string, OwnedView>();
  /** Who has, or is about to have, a tool name. */
  readonly #toolOwners = new Map<string, OwnedView>();
  #policy: PublicationPolicy = openPolicy;

  constructor(
    readonly services: Services,
    readonly log: Logger,
  ) {}

  get snapshot(): Snapshot {
    return this.#current.value;
  }

  /**
   * The current snapshot, then later ones; never an older one after a newer. A publication is complete before anybody is
   * told of it (P-25). A listener that publishes something itself may make others miss the snapshot before.
   */
  get snapshots$(): Observable<Snapshot> {
    return this.#current.pipe(filter((snapshot) => snapshot === this.snapshot));
  }

  /**
   * Emits once per publication or withdrawal that changes what clients list, at the moment when they are to be told: of a
   * withdrawal after its calls have ended (P-28, P-29).
   */
  get listChanged$(): Observable<void> {
    return this.#listChanged.asObservable();
  }

  /** From here on publications are recorded and calls admitted by this policy. */
  governBy(policy: PublicationPolicy): void {
    this.#policy = policy;
  }

  /**
   * Publishes a view as revision 1: all of it or nothing (P-21).
   * @throws ProjectionError with every reason at once; ProjectionConflict when a name has an owner already.
   */
  async offer(name: string, bindings: readonly Binding[], options: OfferOptions = {}): Promise<ViewController> {
    const { text = 'wrapped', trusted = false, contributor } = options;
    if (name.trim() === '')
      throw new ProjectionError(name, [{ service: '', operation: '', reason: 'its name is blank' }]);
    const owner = new OwnedView(name, { text, trusted, contributor }, this.#host);
    const other = this.#owners.get(name);
    if (other !== undefined) throw new ProjectionConflict('view', name, [other.contributor, owner.contributor]);
    this.#owners.set(name, owner);
    try {
      // A view of the usual size is claimed in the turn in which it is offered.
      if (!trusted && bindings.length > manyTools) await checkInTurns(bindings);
      await this.#publish(owner, this.#claim(owner, bindings));
    } catch (error) {
      this.#release(owner);
      this.#owners.delete(name);
      throw error;
    }
    return owner;
  }

  /** @throws StoreError APPROVAL_REQUIRED when the view may not be called now (P-33). */
  admit(view: View): void {
    this.#policy.admit(view);
  }

  /** Resolves when no call of any view is in flight. */
  async idle(): Promise<void> {
    await Promise.all([...this.#owners.values()].map(({ scope }) => scope.idle()));
  }

  /** Aborts every call in flight: the server is going away. */
  async stop(): Promise<void> {
    await Promise.all([...this.#owners.values()].map(({ scope }) => scope.close('the server is stopping')));
  }

  readonly #host = {
    claim: (owner: OwnedView, bindings: readonly Binding[]) => this.#claim(owner, bindings),
    publish: (owner: OwnedView, checked: readonly CheckedBinding[]) => this.#publish(owner, checked),
    release: (owner: OwnedView) => this.#release(owner),
    withdraw: (owner: OwnedView) => this.#withdraw(owner),
    failed: (owner: OwnedView, error: unknown) =>
      this.log.warn('an action of a view failed', { view: owner.name, error }),
  };

  #claim(owner: OwnedView, bindings: readonly Binding[]): readonly CheckedBinding[] {
    const { checked, problems, warnings } = owner.options.trusted ? trustView(bindings) : checkView(bindings);
    const [first, ...rest] = problems;
    if (first !== undefined) throw new ProjectionError(owner.name, [first, ...rest]);
    for (const { annotation } of checked) {
      const other = this.#toolOwners.get(annotation.name) ?? owner;
      if (other !== owner) throw new ProjectionConflict('tool', annotation.name, [other.name, owner.name]);
    }
    for (const { annotation } of checked) this.#toolOwners.set(annotation.name, owner);
    for (const warning of warnings) this.log.warn(warning, { view: owner.name });
    return checked;
  }

  async #publish(owner: OwnedView, checked: readonly CheckedBinding[]): Promise<void> {
    const publication = this.#publicationOf(owner, checked);
    try {
      const recorded = this.#policy.record(publication);
      if (recorded !== undefined) await recorded;
      owner.throwIfWithdrawn(checked.map(({ binding }) => binding));
    } catch (error) {
      this.#policy.abandoned(publication);
      throw error;
    }
    const before = owner.view;
    const view = this.#viewOf(owner, publication);
    owner.view = view;
    this.#swap(view.name, view);
    this.#policy.published(publication);
    this.#tell(before, view);
    owner.tell(publication.revision);
  }

  #publicationOf(owner: OwnedView, tools: readonly CheckedBinding[]): Publication {
    const before = owner.history.at(-1)?.after ?? [];
    const revision: ViewRevision = {
      view: owner.name,
      revision: owner.revision + 1,
      at: Date.now(),
      before,
      after: tools.map(metadataOf),
    };
    let digest: string | undefined;
    return {
      revision,
      trusted: owner.options.trusted,
      contributor: tools[0]?.binding.contributor ?? owner.options.contributor,
      tools,
      get digest() {
        digest ??= digestOf(tools);
        return digest;
      },
    };
  }

  #viewOf(owner: OwnedView, publication: Publication): View {
    const { revision } = publication;
    const tools: PublishedTool[] = [];
    const view: View = {
      name: owner.name,
      revision: revision.revision,
      text: owner.options.text,
      scope: owner.scope,
      contributor: publication.contributor,
      history: [...owner.history, revision].slice(-historyLength),
      tools,
      get digest() {
        return publication.digest;
      },
    };
    for (const item of publication.tools) tools.push(publishedTool(item, view));
    return view;
  }

  /** A view keeps its place in the list, whatever it publishes. */
  #swap(name: string, view: View | null): void {
    const views = new Map(this.snapshot.views);
    if (view === null) views.delete(name);
    else views.set(name, view);
    const tools = new Map<string, PublishedTool>();
    for (const each of views.values()) for (const tool of each.tools) tools.set(tool.annotation.name, tool);
    this.#current.next({ revision: this.snapshot.revision + 1, views, tools });
  }

  /** What is listed is worked out only for somebody who listens: not at every start. */
  #tell(before: View | null, after: View | null): void {
    if (this.#listChanged.observed && !isListedAs(before, after)) this.#listChanged.next();
  }

  /** Gives up the tool names that the owner claimed and has not published; all of them when it publishes no more. */
  #release(owner: OwnedView, view: View | null = owner.view): void {
    const kept = new Set(view?.tools.map((tool) => tool.annotation.name));
    for (const [name, claimant] of this.#toolOwners) {
      if (claimant === owner && !kept.has(name)) this.#toolOwners.delete(name);
    }
  }

  async #withdraw(owner: OwnedView): Promise<void> {
    this.#swap(owner.name, null);
    await owner.scope.close(`the view '${owner.name}' was withdrawn`);
    this.#tell(owner.view, null);
    this.#policy.withdrawn(owner.name);
    this.#release(owner, null);
    this.#owners.delete(owner.name);
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
