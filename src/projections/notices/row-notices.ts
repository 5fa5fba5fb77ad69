/** Changes as they happen, for those who only want to hear: resource subscriptions, list-changed messages. */
import { defer, type Observable } from 'rxjs';
import { drain, type ReadableLog } from '../drain.js';
import { runOnSignals, type Work } from '../signal-loop.js';

export interface RowNotice {
  readonly table: string;
  /** Null for an event of the whole table. */
  readonly rowId: string | null;
  readonly seq: number;
  readonly type: string;
}

export interface NoticeOptions {
  readonly log: ReadableLog;
  readonly table: string;
  /** Commits of this process merged with the data version, which stands for those of others. */
  readonly signals$: Observable<unknown>;
  /** Completes the stream. */
  readonly stop?: AbortSignal;
  /** Told when the log cannot be read; it is read again after a second. */
  readonly report?: (error: unknown) => void;
}

/**
 * One notice per event committed after the subscription, by this process and by others, in order, none twice and none left
 * out. Each subscription has its own position, in memory: it lives no longer than its listener, who reads the state when
 * it subscribes and has no use for what happened before. So there is no checkpoint, and no lease: every process has
 * listeners of its own.
 */
export function rowNotices(options: NoticeOptions): Observable<RowNotice> {
  const stop = options.stop ?? new AbortController().signal;
  return defer(() => runOnSignals(options.signals$, noticeWork(options), stop));
}

function noticeWork({ log, table, report }: NoticeOptions): Work<RowNotice> {
  let position: number | null = null;
  return async (emit, signal) => {
    try {
      const head = await log.head();
      position ??= head;
      await drain(log, { from: position, to: head }, { batchSize: 500, signal }, async (batch, _from, to) => {
        position = to;
        for (const { rowId, seq, type } of batch) emit({ table, rowId, seq, type });
      });
      return null;
    } catch (error) {
      report?.(error);
      return 1_000;
    }
  };
}
