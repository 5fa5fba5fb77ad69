/** Why a view was not published. These reach whoever offers the view, never a client. */

/** One reason, and the operation it is about. */
export interface ProjectionProblem {
  readonly service: string;
  readonly operation: string;
  readonly reason: string;
}

/** A view that cannot be published. `problems` are all of the reasons; the first one is spread on the error itself. */
export class ProjectionError extends Error implements ProjectionProblem {
  override readonly name = 'ProjectionError';
  readonly service: string;
  readonly operation: string;
  readonly reason: string;

  constructor(
    readonly view: string,
    readonly problems: readonly [ProjectionProblem, ...ProjectionProblem[]],
  ) {
    super(`view '${view}' cannot be published: ${problems.map(problemText).join('; ')}`);
    this.service = problems[0].service;
    this.operation = problems[0].operation;
    this.reason = problems[0].reason;
  }
}

/** A name that has an owner already: a view's, or a tool's. */
export class ProjectionConflict extends Error {
  override readonly name = 'ProjectionConflict';

  constructor(
    readonly kind: 'view' | 'tool',
    readonly conflicting: string,
    readonly owners: readonly [string, string],
  ) {
    super(`the ${kind} name '${conflicting}' is claimed by '${owners[0]}' and by '${owners[1]}'`);
  }
}

function problemText(problem: ProjectionProblem): string {
  return `${problem.service} ${problem.operation}: ${problem.reason}`;
}
