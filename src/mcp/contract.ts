/**
 * Contracts: what can be asked of a service, as plain frozen values of zod schemas. A contract knows nothing of MCP; a
 * publisher's metadata rides on it as annotations and is never part of its identity.
 */
import type { z } from 'zod';

/** A typed token for a service; two keys of one name are the same service. */
export class ServiceKey<T> {
  /** Keeps `T` in the type, so that a key of one service does not fit another. It has no value. */
  declare readonly service: (value: T) => T;

  constructor(readonly name: string) {}
}

/** A typed token for metadata that a publisher understands. */
export class AnnotationKey<T> {
  declare readonly annotation: (value: T) => T;

  constructor(readonly name: string) {}
}

type Schema = z.ZodType;

/** One thing a service can do. `id` is `namespace/Name`; `version` counts from 1. */
export interface Operation<P extends Schema = Schema, S extends Schema = Schema, E extends Schema = Schema> {
  readonly id: string;
  readonly version: number;
  readonly kind: 'unary' | 'stream';
  readonly payload: P;
  readonly success: S;
  readonly error?: E | undefined;
  /** Names of middleware that a caller would have to run; such an operation cannot be published. */
  readonly middleware?: readonly string[] | undefined;
  readonly annotations: Annotations;
  /** A new value with the annotation set; this one stays as it is. */
  annotate<T>(key: AnnotationKey<T>, value: NoInfer<T>): Operation<P, S, E>;
}

export interface OperationSchemas<P extends Schema, S extends Schema, E extends Schema> {
  readonly payload: P;
  readonly success: S;
  readonly error?: E;
  readonly kind?: 'unary' | 'stream';
  readonly middleware?: readonly string[];
}

/** The annotations of an operation, by key. */
export class Annotations {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(values: ReadonlyMap<string, unknown> = new Map()) {
    this.#values = values;
  }

  get<T>(key: AnnotationKey<T>): T | undefined {
    // Only `with` adds a value, and it takes the value's type from the key.
    return this.#values.get(key.name) as T | undefined;
  }

  with<T>(key: AnnotationKey<T>, value: NoInfer<T>): Annotations {
    return new Annotations(new Map(this.#values).set(key.name, value));
  }
}

/** Makes contracts. */
export const Contract = {
  /** A frozen operation. Nothing is checked here: whether it can be published is for the publisher to say. */
  operation<P extends Schema, S extends Schema, E extends Schema = z.ZodNever>(
    id: string,
    version: number,
    schemas: OperationSchemas<P, S, E>,
  ): Operation<P, S, E> {
    return freeze({ id, version, ...schemas, kind: schemas.kind ?? 'unary', annotations: new Annotations() });
  },
};

function freeze<P extends Schema, S extends Schema, E extends Schema>(
  parts: Omit<Operation<P, S, E>, 'annotate'>,
): Operation<P, S, E> {
  return Object.freeze({
    ...parts,
    annotate<T>(key: AnnotationKey<T>, value: NoInfer<T>) {
      return freeze({ ...parts, annotations: parts.annotations.with(key, value) });
    },
  });
}

/** The services that bindings are admitted with. */
export class Services {
  readonly #values = new Map<string, unknown>();

  provide<T>(key: ServiceKey<T>, value: NoInfer<T>): this {
    this.#values.set(key.name, value);
    return this;
  }

  withdraw<T>(key: ServiceKey<T>): void {
    this.#values.delete(key.name);
  }

  has<T>(key: ServiceKey<T>): boolean {
    return this.#values.has(key.name);
  }

  /** @throws Error when nobody provides the service. */
  get<T>(key: ServiceKey<T>): T {
    if (!this.#values.has(key.name)) throw new Error(`no service is provided under '${key.name}'`);
    // Only `provide` adds a value, and it takes the value's type from the key.
    return this.#values.get(key.name) as T;
  }
}
