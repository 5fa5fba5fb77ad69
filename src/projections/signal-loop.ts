/**
 * The RxJS part of a follower: signals in, one run of the work at a time out.
 *
 *   start ──┐
 *   signals ┼─▶ merge those that arrive while one waits ─▶ run, never two at once ─▶ what the run emits
 *   "again" ┘◀───────────────── the run asks to be called again in … ms ────────┘
 *
 * A signal carries nothing: the work reads the facts. So doubled and merged signals cost nothing, and a lost one only delays.
 */
import { concatMap, defer, filter, merge, Observable, of, retry, Subject, switchMap, takeUntil } from 'rxjs';
import { unrefTimer } from './unref-timer.js';

/**
 * One run. It emits as it goes, stops soon after `signal` is aborted, and resolves with the milliseconds after which it
 * wants to run again without a signal, or null. It must not reject: it knows best what a failure means.
 */
export type Work<T> = (emit: (value: T) => void, signal: AbortSignal) => Promise<number | null>;

/**
 * Runs `work` once at the start and after signals. The observable completes after `stop` was aborted and the run in
 * progress has ended; unsubscribing aborts that run too, but does not wait for it.
 */
export function runOnSignals<T>(signals$: Observable<unknown>, work: Work<T>, stop: AbortSignal): Observable<T> {
  return defer(() => {
    const again$ = new Subject<number>();
    // A source of signals that fails is subscribed again: without it, only a commit of this process would wake the work.
    const outside$ = signals$.pipe(retry({ delay: () => unrefTimer(1_000) }));
    const wakeUps$ = merge(of(undefined), outside$, again$.pipe(switchMap(unrefTimer)));
    return wakeUps$.pipe(
      takeUntil(aborted(stop)),
      oneAtATime(() => run(work, again$, stop)),
    );
  });
}

/** Like `concatMap`, with at most one run waiting: what a second waiting one would do, the first does. */
function oneAtATime<T>(start: () => Observable<T>) {
  return (source$: Observable<unknown>): Observable<T> =>
    defer(() => {
      let waiting = false;
      const claim = () => {
        const free = !waiting;
        waiting = true;
        return free;
      };
      const begin = () => {
        waiting = false;
        return start();
      };
      return source$.pipe(filter(claim), concatMap(begin));
    });
}

function run<T>(work: Work<T>, again$: Subject<number>, stop: AbortSignal): Observable<T> {
  return new Observable((subscriber) => {
    const unsubscribed = new AbortController();
    const finish = (again: number | null) => {
      if (again !== null) again$.next(again);
      subscriber.complete();
    };
    work((value) => subscriber.next(value), AbortSignal.any([stop, unsubscribed.signal])).then(finish, (error) =>
      subscriber.error(error),
    );
    return () => unsubscribed.abort();
  });
}

function aborted(signal: AbortSignal): Observable<void> {
  return new Observable((subscriber) => {
    const emit = () => subscriber.next();
    if (signal.aborted) emit();
    signal.addEventListener('abort', emit, { once: true });
    return () => signal.removeEventListener('abort', emit);
  });
}
