/** Several steps as one command, with steps that do what they must not. */
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommandSteps, runCommand } from '../../src/ops/run-command.js';
import { verifyTable } from '../../src/ops/verify-table.js';
import { caller, ScratchTable } from './scratch-table.js';

let table: ScratchTable;

beforeEach(() => {
  table = new ScratchTable();
});

afterEach(() => table.remove());

const rows = () => table.query('SELECT count(*) AS n FROM rows');
const events = () => table.query('SELECT count(*) AS n FROM _events');

async function expectProven(): Promise<void> {
  expect((await verifyTable(table.operated)).checks.filter(({ ok }) => !ok)).toEqual([]);
}

describe('a command of several steps', () => {
  it('appends all of its events in one commit, and sees what it did so far', async () => {
    const result = await runCommand(table.store, { table: 'notes' }, caller, (command) => {
      const { id } = command.create({ data: { title: 'one' } });
      command.update({ id, data: { count: 1 } });
      return command.list().length;
    });
    expect(result).toBe(1);
    expect(table.query('SELECT count(DISTINCT commit_no) AS n FROM _events')).toEqual([{ n: 1 }]);
    expect(events()).toEqual([{ n: 2 }]);
    await expectProven();
  });

  it('undoes every step when one throws, and what is thrown is the answer', async () => {
    const refusal = { code: 'REFUSED' };
    const run = runCommand(table.store, { table: 'notes' }, caller, (command) => {
      command.create({ data: { title: 'one' } });
      throw refusal;
    });
    await expect(run).rejects.toBe(refusal);
    expect(rows()).toEqual([{ n: 0 }]);
    await expectProven();
  });

  it('answers a repeated key with the first result', async () => {
    const input = { table: 'notes', idempotency_key: 'k', arguments: { title: 'one' } };
    const steps = (command: CommandSteps) => ({ id: command.create({ data: { title: 'one' } }).id });
    const first = await runCommand(table.store, input, caller, steps);
    expect(await runCommand(table.store, input, caller, steps)).toEqual(first);
    const other = runCommand(table.store, { ...input, arguments: { title: 'two' } }, caller, steps);
    await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    expect(rows()).toEqual([{ n: 1 }]);
  });

  it('reaches no table once it has ended: not by awaiting, not by being kept', async () => {
    let late: unknown;
    const awaiting = runCommand(table.store, { table: 'notes' }, caller, async (command) => {
      await setTimeout(20);
      try {
        command.create({ data: { title: 'late' } });
      } catch (error) {
        late = error;
      }
    });
    await expect(awaiting).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    let kept: CommandSteps | undefined;
    await runCommand(table.store, { table: 'notes' }, caller, (command) => {
      kept = command;
    });
    expect(() => kept?.create({ data: { title: 'kept' } })).toThrow(/has ended/);
    await expect.poll(() => late).toMatchObject({ message: expect.stringContaining('has ended') });
    expect(rows()).toEqual([{ n: 0 }]);
    expect(events()).toEqual([{ n: 0 }]);
    await expectProven();
  });
});
