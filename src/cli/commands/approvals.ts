/** `approvals [list|show VIEW|approve VIEW|revoke VIEW]`: what a model cannot reach (P-36). */
import type { Command } from 'commander';
import { shown, viewDifference } from '../../ops/view-difference.js';
import { approveView, type Decided, revokeView } from '../../ops/view-records.js';
import type { PublishedView } from '../../projections/views/queries.js';
import { nearest } from '../../schema/suggest.js';
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
        decide(context, options, view, 'approved', (database) =>
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
        decide(context, options, view, 'revoked', (database) =>
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
    // A subcommand that does not exist arrives here, because this one is the default.
    .allowExcessArguments()
    .action((options: CommonOptions, command: Command) =>
      action(async (context) => {
        const [odd] = command.args;
        if (odd !== undefined) return noSuchCommand(context, odd, approvals);
        return context.withViews(async (database) => {
          const views = database.views.list();
          print(
            context.io,
            options.json === true,
            views.map(summary),
            views.length === 0 ? [nothing] : views.map(lineOf),
          );
          return exitCodes.ok;
        });
      }),
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
          const difference = differenceOf(view);
          print(context.io, options.json === true, { ...summary(view), difference }, [
            lineOf(view),
            ...difference,
            ...nextSteps(view),
          ]);
          return isSettled(view) ? exitCodes.ok : exitCodes.found;
        }),
      ),
    );
}

function nextSteps(view: PublishedView): string[] {
  const approve = `Approve it with: mini-app-mcp approvals approve ${view.view} --digest ${view.digest}`;
  return [...(view.managed ? [] : [notManaged(view.view)]), ...(isApproved(view) ? [] : [approve])];
}

/** Says what was decided about, also to somebody who did not look at it before. */
async function decide(
  context: CliContext,
  options: CommonOptions,
  name: string,
  what: 'approved' | 'revoked',
  run: (database: GlobalDatabase) => Promise<Decided>,
) {
  return context.withViews(async (database) => {
    const before = database.views.get(name);
    const decided = await run(database);
    const already = decided.changed ? '' : ': nothing changed, it was so already';
    // What another server publishes between the two looks is not what was approved.
    const isSeen = what === 'approved' && decided.changed && before?.digest === decided.digest;
    const difference = isSeen ? differenceOf(before) : [];
    const result = what === 'approved' ? { ...decided, difference } : decided;
    const isIdle = before !== null && !before.managed;
    print(context.io, options.json === true, isIdle ? { ...result, managed: false } : result, [
      ...difference,
      `${decided.view} ${what} ${decided.digest}${already}`,
      ...(isIdle ? [notManaged(decided.view)] : []),
    ]);
    return exitCodes.ok;
  });
}

function differenceOf(view: PublishedView): string[] {
  return viewDifference(view.approval?.tools ?? [], view.tools);
}

function notManaged(view: string): string {
  return `${view} is not managed: its tools can be called in any case. MINI_APP_MANAGED_VIEWS names the views that wait for you.`;
}

const nothing = 'No view was published yet by a server with plugins or managed views.';

function unknown({ io }: CliContext, name: string) {
  io.err(`No view ${name} was published. mini-app-mcp approvals lists those that were.\n`);
  return exitCodes.usage;
}

function noSuchCommand({ io }: CliContext, odd: string, approvals: Command) {
  const names = approvals.commands.map((command) => command.name());
  const meant = nearest(odd, names);
  io.err(`error: approvals has no command '${odd}'${meant === undefined ? '' : `; did you mean '${meant}'?`}\n`);
  io.err(`Its commands are: ${names.join(', ')}.\n`);
  return exitCodes.usage;
}

/** Whether nobody has to decide anything. */
function isSettled(view: PublishedView): boolean {
  return isApproved(view) || !view.managed;
}

function isApproved({ approval, digest }: PublishedView): boolean {
  return approval?.digest === digest;
}

/** Nothing is held back of a view that is not managed, whatever was decided once. */
function stateOf(view: PublishedView): string {
  if (!view.managed) return 'not managed';
  if (isApproved(view)) return 'approved';
  return view.approval === null ? 'waiting' : 'changed since it was approved';
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
