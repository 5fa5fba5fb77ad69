/** The floors of writing alone: what sharing a commit and leaving out the wait for the disk are worth here. */
import type { Contender, Figure } from '../figure.js';
import { type FloorOptions, sqliteFloor } from '../floor/sqlite-floor.js';

const one: FloorOptions = { operations: 500, perTransaction: 1, synchronous: 'FULL' };
const grouped: FloorOptions = { operations: 4_096, perTransaction: 64, synchronous: 'FULL' };
const bulk: FloorOptions = { operations: 20_000, perTransaction: 1_000, synchronous: 'OFF' };

export const figures: Figure[] = [
  {
    name: 'floor-sqlite-grouped',
    metrics: { operation: { unit: 'us' } },
    subject: floor('64 per transaction', grouped),
    reference: floor('1 per transaction', one),
    runs: 3,
  },
  {
    name: 'floor-sqlite-bulk',
    metrics: { operation: { unit: 'us' } },
    subject: floor('1,000 per transaction, no sync', bulk),
    reference: floor('64 per transaction', grouped),
    runs: 3,
  },
];

function floor(name: string, options: FloorOptions): Contender {
  return { name, measure: (directory) => ({ operation: sqliteFloor(directory, options) }) };
}
