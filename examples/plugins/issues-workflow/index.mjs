/**
 * Tools with a business rule over the table `issues`: one holder at a time, and only the holder closes. The rule is
 * decided inside the write transaction, so it holds for any number of agents in any number of processes.
 */
import { Contract, Plugin, Projection, Store, z } from 'mini-app-mcp/plugin';

const id = z.string().min(1).max(36).describe('Id of the issue, or the start of it');

const issue = z.object({
  id: z.string(),
  title: z.string(),
  state: z.string(),
  holder: z.string().nullable(),
  version: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
});

const refused = z.object({
  code: z.enum(['ALREADY_CLAIMED', 'NOT_OPEN', 'NOT_YOURS']),
  message: z.string(),
  holder: z.string().nullable(),
});

const Claim = Contract.operation('issues/Claim', 1, {
  payload: z.object({ id }),
  success: issue,
  error: refused,
}).annotate(Projection.Annotation, {
  name: 'issue_claim',
  title: 'Claim an issue',
  description: 'Take an open issue, so that nobody else works on it. Claiming your own issue again changes nothing.',
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

const Close = Contract.operation('issues/Close', 1, {
  payload: z.object({ id, resolution: z.string().min(1).max(2_000).describe('What was done') }),
  success: issue,
  error: refused,
}).annotate(Projection.Annotation, {
  name: 'issue_close',
  title: 'Close an issue',
  description: 'Close an issue that you have claimed. Closing it again changes nothing.',
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

const table = 'issues';

/** @param {import('mini-app-mcp/plugin').PluginRow} row */
function shown({ id, data, version }) {
  return { id, title: String(data.title), state: String(data.state ?? 'open'), holder: holderOf(data), version };
}

/** @param {import('mini-app-mcp/plugin').PluginRow['data']} data */
function holderOf(data) {
  return typeof data.holder === 'string' ? data.holder : null;
}

export default Plugin.make({
  name: 'issues-workflow',
  version: '1.0.0',
  inject: [Store],
  apply: () =>
    Projection.offer('issues/workflow', [
      Projection.operation(Store, Claim, (store, { id }, context) =>
        store.atomically({ table }, context, (command) => {
          const row = command.get({ id });
          const me = context.caller.actor;
          const holder = holderOf(row.data);
          if (row.data.state === 'closed') throw { code: 'NOT_OPEN', message: 'the issue is closed', holder };
          if (holder === me) return shown(row);
          if (holder !== null) throw { code: 'ALREADY_CLAIMED', message: `${holder} works on it`, holder };
          return shown(command.update({ id: row.id, data: { holder: me, state: 'claimed' } }));
        }),
      ),
      Projection.operation(Store, Close, (store, { id, resolution }, context) =>
        store.atomically({ table }, context, (command) => {
          const row = command.get({ id });
          const holder = holderOf(row.data);
          if (holder !== context.caller.actor)
            throw { code: 'NOT_YOURS', message: 'claim the issue first: only its holder closes it', holder };
          if (row.data.state === 'closed') return shown(row);
          return shown(command.update({ id: row.id, data: { state: 'closed', resolution } }));
        }),
      ),
    ]),
});
