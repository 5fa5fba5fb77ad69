import { merge } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { dataVersion$ } from '../../../src/projections/data-version.js';
import { type RowNotice, rowNotices } from '../../../src/projections/notices/row-notices.js';
import { SmallLog } from '../../helpers/small-log.js';
import { eventually, useTempLog } from '../../helpers/temp-log.js';

const temp = useTempLog();

describe('notices', () => {
  it('tell of every change after the subscription once, in order, from this and other processes', async () => {
    temp.log.commit([{ id: 'before', data: {} }]);
    const heard: RowNotice[] = [];
    const signals$ = merge(temp.log.committed$, dataVersion$(temp.log.connect(), 5));
    const subscription = rowNotices({ log: temp.log, table: 'issues', signals$ }).subscribe((one) => heard.push(one));
    temp.log.commit([
      { id: 'a', data: {} },
      { id: 'b', data: {} },
    ]);
    const other = new SmallLog(temp.log.path);
    other.commit([{ id: 'a', data: null }]);
    other.close();
    await eventually(() => heard.length >= 3);
    temp.log.commit([{ id: 'c', data: {} }]);
    await eventually(() => heard.length >= 4);
    subscription.unsubscribe();
    temp.log.commit([{ id: 'd', data: {} }]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(heard.map(({ seq, rowId }) => [seq, rowId])).toEqual([
      [2, 'a'],
      [3, 'b'],
      [4, 'a'],
      [5, 'c'],
    ]);
    expect(heard[2]).toEqual({ table: 'issues', rowId: 'a', seq: 4, type: 'row.deleted' });
  });

  it('give each subscription a position of its own', async () => {
    const notices$ = rowNotices({ log: temp.log, table: 't', signals$: temp.log.committed$ });
    const first: number[] = [];
    const second: number[] = [];
    const a = notices$.subscribe(({ seq }) => first.push(seq));
    temp.log.commit([{ id: 'a', data: {} }]);
    await eventually(() => first.length === 1);
    const b = notices$.subscribe(({ seq }) => second.push(seq));
    temp.log.commit([{ id: 'a', data: {} }]);
    await eventually(() => first.length === 2 && second.length === 1);
    expect([first, second]).toEqual([[1, 2], [2]]);
    a.unsubscribe();
    b.unsubscribe();
  });

  it('neither skip nor repeat when reading fails in between', async () => {
    let failing = false;
    const reported: unknown[] = [];
    const log = {
      head: () => temp.log.head(),
      readAfter: async (position: number, limit: number) => {
        if (failing) throw new Error('no');
        return await temp.log.readAfter(position, limit);
      },
    };
    const heard: number[] = [];
    const notices$ = rowNotices({
      log,
      table: 't',
      signals$: temp.log.committed$,
      report: (error) => reported.push(error),
    });
    const subscription = notices$.subscribe(({ seq }) => heard.push(seq));
    temp.log.commit([{ id: 'a', data: {} }]);
    await eventually(() => heard.length === 1);
    failing = true;
    temp.log.commit([{ id: 'a', data: {} }]);
    await eventually(() => reported.length === 1);
    failing = false;
    temp.log.commit([{ id: 'a', data: {} }]);
    await eventually(() => heard.length === 3);
    expect(heard).toEqual([1, 2, 3]);
    subscription.unsubscribe();
  });
});
