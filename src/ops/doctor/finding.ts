/** One thing that an operator should know. */
export interface Finding {
  /** Null: not about one table. */
  readonly table: string | null;
  /** `error`: data or writes are at risk; `warning`: something waits for the operator; `info`: good to know. */
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  /** What to do next: a command, where there is one. */
  readonly next: string;
}
