/** A log of many events about few rows. */
import { layOut } from '../product.js';
import { bulkLoad } from './bulk-load.js';
import { idOf } from './ids.js';
import { shared } from './shared.js';

const rows = 1_000;
const data = '{"title":"x"}';

/** Every row of the thousand has the same number of events. @returns the directory, made once per length and run. */
export function longLog(events: number): Promise<string> {
  return shared(`log-${events}`, async (directory) => {
    layOut(directory);
    await bulkLoad(directory, (load) => {
      for (let index = 0; index < events; index++) {
        const version = Math.floor(index / rows) + 1;
        const body = version === 1 ? `{"data":${data}}` : '{"set":{"title":"x"}}';
        load.event({ rowId: idOf(index % rows), version, body });
      }
      const version = Math.ceil(events / rows);
      for (let index = 0; index < rows; index++) load.row({ id: idOf(index), data, at: 1, version });
    });
  });
}
