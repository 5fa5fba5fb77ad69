/** What a worker asks of the store, checked as the arguments of the tool of the same name are. */
import type { z } from 'zod';
import { argumentErrorOf } from '../../arguments.js';
import { payload as create } from '../../tools/create.js';
import { payload as remove } from '../../tools/delete.js';
import { payload as get } from '../../tools/get.js';
import { payload as list } from '../../tools/list.js';
import { payload as restore } from '../../tools/row-restore.js';
import { payload as update } from '../../tools/update.js';
import type { OnBehalf, PluginStore } from '../plugin-store.js';
import type { FromWorker } from './messages.js';

type Method = Extract<FromWorker, { type: 'store' }>['method'];

/** @throws StoreError what the store throws, VALIDATION_ERROR with the issues for bad input. */
export function askStore(store: PluginStore, method: Method, input: unknown, context: OnBehalf): Promise<unknown> {
  switch (method) {
    case 'get':
      return store.get(checked(get, input), context);
    case 'list':
      return store.list(checked(list, input), context);
    case 'create':
      return store.create(checked(create, input), context);
    case 'update':
      return store.update(checked(update, input), context);
    case 'delete':
      return store.delete(checked(remove, input), context);
    case 'restore':
      return store.restore(checked(restore, input), context);
  }
}

function checked<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw argumentErrorOf(parsed.error);
}
