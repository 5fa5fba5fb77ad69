/** Timers that never keep a process alive: a command that is done must be able to end. */
import { Observable } from 'rxjs';

/** Emits once after `ms`, then completes. */
export function unrefTimer(ms: number): Observable<void> {
  return new Observable((subscriber) => {
    const timer = setTimeout(() => {
      subscriber.next();
      subscriber.complete();
    }, ms);
    timer.unref();
    return () => clearTimeout(timer);
  });
}

/** Emits every `ms` until unsubscribed. */
export function unrefInterval(ms: number): Observable<void> {
  return new Observable((subscriber) => {
    const timer = setInterval(() => subscriber.next(), ms);
    timer.unref();
    return () => clearInterval(timer);
  });
}
