/** `approvals [list|show VIEW|approve VIEW|revoke VIEW]`: what a model cannot reach (P-36). */
import type { Command } from 'commander';
import { shown, viewDifference } from '../../ops/view-difference.js';
import { approveView, type Decided, revokeView } from '../../ops/view-records.js';
import type { PublishedView } from '../../projections/views/queries.js';
import type { GlobalDatabase } from '../../tables/global-database.js';
import type { Action, CommandDefinition, CommonOptions } from '../command.js';
import type { CliContext } from '../context.js';
import { exitCodes } from '../exit-codes.js';
import { print } from '../io.js';

interface ApproveOptions extends CommonOptions {
  readonly digest?: string;
}

export const approvalsCommand: CommandDefinition = (program, action) => {
  const approvals = program
    .command('approvals')
    .description('published views of tools, and which of them may be called');
  defineList(approvals, action);
  defineShow(approvals, action);
  approvals
    .command('approve')
    .argument('<view>')
    .description('allow that the tools of a managed view are called as they are published now')
    .option('--digest <digest>', 'only if this is what is published, as show prints it')
    .option('--json', 'one line of JSON')
    .action((view: string, options: ApproveOptions) =>
      action((context) =>
        decide(context, options, 'approved', (database) =>
          approveView(database, { view, digest: options.digest }, context.caller('approvals approve')),
        ),
      ),
    );
  approvals
    .command('revoke')
    .argument('<view>')
    .description('take the approval of a view back')
    .option('--json', 'one line of JSON')
    .action((view: string, options: CommonOptions) =>
      action((context) =>
        decide(context, options, 'revoked', (database) =>
          revokeView(database, { view }, context.caller('approvals revoke')),
        ),
      ),
    );
};

function defineList(approvals: Command, action: Action): void {
  approvals
    .command('list', { isDefault: true })
    .description('every view that was published, and how it stands')
    .option('--json', 'one line of JSON')
    .action((options: CommonOptions) =>
      action((context) =>
        context.withViews(async (database) => {
          const views = database.views.list();
          print(
            context.io,
            options.json === true,
            views.map(summary),
            views.length === 0 ? [nothing] : views.map(lineOf),
          );
          return exitCodes.ok;
        }),
      ),
    );
}

function defineShow(approvals: Command, action: Action): void {
  approvals
    .command('show')
    .argument('<view>')
    .description('what changed since the approval; exits with 1 when there is something to decide')
    .option('--json', 'one line of JSON')
    .action((name: string, options: CommonOptions) =>
      action((context) =>
        context.withViews(async (database) => {
          const view = database.views.get(name);
          if (view === null) return unknown(context, name);
          const difference = viewDifference(view.approval?.tools ?? [], view.tools);
          print(context.io, options.json === true, { ...summary(view), difference }, [
            lineOf(view),
            ...difference,
            ...(isApproved(view)
              ? []
              : [`Approve it with: mini-app-mcp approvals approve ${name} --digest ${view.digest}`]),
          ]);
          return isApproved(view) ? exitCodes.ok : exitCodes.found;
        }),
      ),
    );
}

async function decide(
  context: CliContext,
  options: CommonOptions,
  what: string,
  run: (database: GlobalDatabase) => Promise<Decided>,
) {
  return context.withViews(async (database) => {
    const decided = await run(database);
    const already = decided.changed ? '' : ': nothing changed, it was so already';
    print(context.io, options.json === true, decided, [`${decided.view} ${what} ${decided.digest}${already}`]);
    return exitCodes.ok;
  });
}

const nothing = 'No view was published yet by a server with plugins or managed views.';

function unknown({ io }: CliContext, name: string) {
  io.err(`No view ${name} was published. mini-app-mcp approvals lists those that were.\n`);
  return exitCodes.usage;
}

function isApproved({ approval, digest }: PublishedView): boolean {
  return approval?.digest === digest;
}

function stateOf(view: PublishedView): string {
  if (isApproved(view)) return 'approved';
  if (view.approval !== null) return 'changed since it was approved';
  return view.managed ? 'waiting' : 'not managed';
}

function summary(view: PublishedView) {
  const { approval, digest, plugin, revision, managed } = view;
  return {
    view: view.view,
    state: stateOf(view),
    managed,
    revision,
    digest,
    plugin,
    published_at: view.publishedAt,
    approved_digest: approval?.digest ?? null,
    approved_by: approval?.by ?? null,
    approved_at: approval?.at ?? null,
    tools: view.tools.map(({ name }) => name),
  };
}

function lineOf(view: PublishedView): string {
  const { approval, plugin, digest, tools } = view;
  const from = plugin === null ? '' : ` from ${plugin}`;
  const by =
    approval === null ? '' : ` (approved by ${approval.by}, ${new Date(approval.at).toISOString().slice(0, 16)}Z)`;
  return shown(`${view.view}${from}: ${stateOf(view)}${by}, ${tools.length} tools, ${digest.slice(0, 12)}`);
}
