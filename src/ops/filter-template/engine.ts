/**
 * MiniJinja, loaded at first use. It runs in this process as WebAssembly: a panic or an exhausted stack leaves its memory
 * unusable, so that whatever it does not answer with an ordinary error makes the next render start from a fresh one.
 */
import { createRequire } from 'node:module';
import type { Environment } from 'minijinja-js';

type Engine = typeof import('minijinja-js');

/** Steps a render may take: some milliseconds of work. */
const fuel = 50_000;

const load = createRequire(import.meta.url);
let engine: Engine | null = null;

/** What went wrong, in the engine's words; an engine that broke down has no words of its own. */
export class TemplateFailure extends Error {
  override readonly name = 'TemplateFailure';
}

/** Runs something in an environment of its own. @throws TemplateFailure for whatever the engine refuses. */
export function withEnvironment<T>(run: (environment: Environment) => T): T {
  engine ??= freshEngine();
  try {
    const environment = new engine.Environment();
    environment.undefinedBehavior = 'strict';
    environment.fuel = fuel;
    const result = run(environment);
    environment.free();
    return result;
  } catch (error) {
    throw failureOf(error);
  }
}

function freshEngine(): Engine {
  delete load.cache[load.resolve('minijinja-js')];
  return load('minijinja-js') as Engine;
}

function failureOf(error: unknown): TemplateFailure {
  // The engine's own refusals are plain errors; everything else comes from broken memory or an exhausted stack.
  const isOrdinary = error instanceof Error && error.constructor === Error && !/Rust|recursive use/.test(error.message);
  if (!isOrdinary) engine = null;
  return new TemplateFailure(isOrdinary ? wordsOf(error) : 'the template is too deep or too large', { cause: error });
}

/** Without the excerpt, and with lines counted in the template. */
function wordsOf(error: Error): string {
  const [first = ''] = error.message.split('\n');
  return first.replace(/ \(in <string>:(\d+)\)$/, ' (line $1)');
}
