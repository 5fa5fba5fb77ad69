/** A catalogue with one service, and tools of one line for it. */
import { z } from 'zod';
import type { Binding, CallContext, ToolAnnotation } from '../../src/mcp/binding.js';
import { callTool } from '../../src/mcp/call.js';
import { Catalogue } from '../../src/mcp/catalogue.js';
import { Contract, ServiceKey, Services } from '../../src/mcp/contract.js';
import { createLogger, type LogLevel } from '../../src/mcp/log.js';
import { Projection } from '../../src/mcp/projection.js';
import { annotation } from './demo-view.js';

export const key = new ServiceKey<string>('test/service');

export interface ToolParts {
  readonly payload?: z.ZodType;
  readonly success?: z.ZodType;
  readonly error?: z.ZodType;
  readonly version?: number;
  readonly annotation?: Partial<ToolAnnotation>;
  /** Of the operation, where it is not the tool's name. */
  readonly id?: string;
}

type Callback = (service: string, payload: unknown, context: CallContext) => unknown;

/** Answers its own name, where no callback says otherwise. */
export function tool(name: string, callback: Callback = () => name, parts: ToolParts = {}): Binding {
  const { payload = z.object({}), success = z.string(), error, version = 1, id = `test/${name}` } = parts;
  const contract = Contract.operation(id, version, { payload, success, ...(error === undefined ? {} : { error }) });
  return Projection.operation(
    key,
    contract.annotate(Projection.Annotation, annotation(name, parts.annotation)),
    callback,
  );
}

export interface SmallCatalogue {
  readonly catalogue: Catalogue;
  readonly services: Services;
  /** What was logged. */
  readonly lines: string[];
  call(name: string, args?: Record<string, unknown>, signal?: AbortSignal): ReturnType<typeof callTool>;
}

export function smallCatalogue(level: LogLevel = 'debug'): SmallCatalogue {
  const lines: string[] = [];
  const services = new Services().provide(key, 'service');
  const log = createLogger({ level, colour: false, write: (line) => void lines.push(line) });
  const catalogue = new Catalogue(services, log);
  const caller = { actor: 'tester', origin: { tool: 'x', request: '7', session: 's' } };
  return {
    catalogue,
    services,
    lines,
    call: (name, args, signal = new AbortController().signal) =>
      callTool(catalogue, { name, arguments: args, caller, signal }),
  };
}

/** A promise that is settled from outside. */
export function gate<T = void>() {
  let open: (value: T) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const opened = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { opened, open, fail };
}
