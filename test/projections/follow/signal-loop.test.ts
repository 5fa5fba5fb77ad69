import { setTimeout as sleep } from 'node:timers/promises';
import { firstValueFrom, Subject, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { runOnSignals, type Work } from '../../../src/projections/signal-loop.js';
import { eventually } from '../../helpers/temp-log.js';

const never = new AbortController().signal;

describe('runOnSignals', () => {
  it('runs at the start, never two at once, and merges the signals of a run into one more', async () => {
    const signals$ = new Subject<void>();
    let runs = 0;
    let running = 0;
    let most = 0;
    const work: Work<number> = async (emit) => {
      most = Math.max(most, ++running);
      emit(++runs);
      await sleep(10);
      running--;
      return null;
    };
    const subscription = runOnSignals(signals$, work, never).subscribe();
    for (let n = 0; n < 1_000; n++) signals$.next();
    await sleep(60);
    expect([runs, most]).toEqual([2, 1]);
    subscription.unsubscribe();
  });

  it('loses no signal, at whichever moment of a run it comes', async () => {
    const signals$ = new Subject<void>();
    let sent = 0;
    let seen = 0;
    const send = () => {
      sent++;
      signals$.next();
    };
    const work: Work<number> = async () => {
      seen = sent;
      return null;
    };
    const subscription = runOnSignals(signals$, work, never).subscribe();
    for (let n = 0; n < 200; n++) {
      // Microtasks before, at and after the end of the run.
      for (let turn = 0; turn < n % 8; turn++) await Promise.resolve();
      send();
    }
    await eventually(() => seen === 200, 200);
    subscription.unsubscribe();
  });

  it('runs again when the work asks for it, without a signal', async () => {
    let runs = 0;
    const work: Work<number> = async () => (++runs < 3 ? 1 : null);
    const subscription = runOnSignals(new Subject(), work, never).subscribe();
    await eventually(() => runs === 3);
    await sleep(20);
    expect(runs).toBe(3);
    subscription.unsubscribe();
  });

  it('completes only after the run in progress, when it is stopped', async () => {
    const stop = new AbortController();
    let ended = false;
    const work: Work<string> = async (emit, signal) => {
      await sleep(20);
      ended = true;
      emit(signal.aborted ? 'aborted' : 'not');
      return 1;
    };
    const all = firstValueFrom(runOnSignals(new Subject(), work, stop.signal).pipe(toArray()));
    stop.abort();
    expect(await all).toEqual(['aborted']);
    expect(ended).toBe(true);
  });

  it('aborts the run in progress when it is unsubscribed', async () => {
    let aborted = false;
    const work: Work<string> = async (_emit, signal) => {
      await sleep(10);
      aborted = signal.aborted;
      return null;
    };
    runOnSignals(new Subject(), work, never).subscribe().unsubscribe();
    await eventually(() => aborted);
  });
});
