import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { dataVersion$ } from '../../../src/projections/data-version.js';
import { SmallLog } from '../../helpers/small-log.js';
import { eventually, useTempLog } from '../../helpers/temp-log.js';

const temp = useTempLog();

describe('dataVersion$', () => {
  it('tells of commits of other connections only, and bears a closed database', async () => {
    let signals = 0;
    const subscription = dataVersion$(temp.log.database, 5).subscribe(() => signals++);
    temp.log.commit([{ id: 'a', data: {} }]);
    await sleep(30);
    expect(signals).toBe(0);
    const other = new SmallLog(temp.log.path);
    other.commit([{ id: 'a', data: {} }]);
    await eventually(() => signals === 1);
    other.close();
    temp.log.database.close();
    await sleep(30);
    expect(signals).toBe(1);
    subscription.unsubscribe();
  });
});
