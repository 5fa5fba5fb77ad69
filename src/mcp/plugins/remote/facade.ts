/** A worker's tools as bindings: the same contract, the same answers, with the codecs on the other side (P-6, P-38). */
import { z } from 'zod';
import { type Binding, type CallContext, type Encodable, toolAnnotation } from '../../binding.js';
import { Contract } from '../../contract.js';
import type { Contributor } from '../../contributor.js';
import { WireFailure } from '../../results.js';
import { within } from '../../within.js';
import type { DescribedTool, DescribedView } from './messages.js';
import type { RemoteResult, RemoteWorker } from './remote-worker.js';

/** A cancelled call waits this long for the worker's finalisers, in milliseconds (P-18). */
const cancelBoundMs = 5_000;

/** Arguments as they came: the worker parses them. */
const given = z.looseObject({});

/** @param present the worker that new calls go to; resolves late while one is being started anew. */
export function facadeOf(view: DescribedView, present: () => Promise<RemoteWorker>): Binding[] {
  const contributor = { plugin: view.plugin, version: view.version };
  return view.tools.map((tool) => bindingOf(tool, contributor, present));
}

function bindingOf(tool: DescribedTool, contributor: Contributor, present: () => Promise<RemoteWorker>): Binding {
  const { service, operation, version, annotation, input, output } = tool;
  const contract = Contract.operation(operation, version, { payload: given, success: z.unknown() });
  return {
    service,
    operation: contract.annotate(toolAnnotation, annotation),
    described: { input, output },
    contributor,
    admit: () => {
      // Taken at admission: the call ends on the version that it began with (P-26).
      const worker = present();
      worker.catch(() => undefined);
      return {
        parse: (payload) => ({
          ok: true,
          run: async (context) => encodable(await callIn(await worker, annotation.name, given.parse(payload), context)),
        }),
      };
    },
  };
}

async function callIn(
  worker: RemoteWorker,
  name: string,
  payload: Readonly<Record<string, unknown>>,
  context: CallContext,
): Promise<RemoteResult> {
  const { signal } = context;
  signal.throwIfAborted();
  let id = 0;
  const work = worker.call(name, payload, context.caller, (newId) => {
    id = newId;
  });
  const cancel = () => worker.cancel(id);
  signal.addEventListener('abort', cancel, { once: true });
  // After a cancellation the call counts as ended when it has in the worker, its finalisers included.
  context.defer(async () => {
    signal.removeEventListener('abort', cancel);
    const ended = work.catch(() => undefined);
    if (signal.aborted && !(await within(ended, cancelBoundMs))) worker.forget(id);
  });
  return work;
}

/** @throws WireFailure with the error that the worker answered. */
function encodable({ text, isError }: RemoteResult): Encodable {
  if (isError) throw new WireFailure(text);
  return { encode: () => wrapped.parse(JSON.parse(text)).value };
}

const wrapped = z.looseObject({ value: z.unknown() });
