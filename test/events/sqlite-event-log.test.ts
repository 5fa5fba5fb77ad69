import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CommandTransaction, Idempotency } from '../../src/events/event-log.js';
import { genesisHash, hashOf } from '../../src/events/hash-chain.js';
import type { JsonValue } from '../../src/schema/json.js';
import { created, deleted, type OpenLog, openLog, rowEvent, tester, updated } from '../helpers/open-log.js';
import { newDir, removeDir } from '../helpers/temp-dir.js';

let directory: string;
let open: OpenLog;

beforeEach(() => {
  directory = newDir();
  open = openLog(directory);
});

afterEach(async () => {
  await open.close();
  removeDir(directory);
});

function idempotency<T extends JsonValue>(key: string, digest = 'd'): Idempotency<T> {
  return { key, digest, remember: (result) => result, recall: (kept) => kept as T };
}

function creating(id: string, result: string): (tx: CommandTransaction) => string {
  return (tx) => {
    tx.append(created(id));
    return result;
  };
}

describe('a command that is refused', () => {
  test('after it wrote leaves nothing, and the log goes on without a gap', async () => {
    const refusal = new Error('no');
    const refused = open.run((tx) => {
      tx.append(created('x'));
      throw refusal;
    });
    await expect(refused).rejects.toBe(refusal);
    expect(await open.log.head()).toBe(0);
    expect(open.rows.get('x')).toBeNull();
    await open.run((tx) => tx.append(created('y')));
    expect(await open.log.head()).toBe(1);
  });

  test('by a projection fails by the name of what happened', async () => {
    await open.run((tx) => tx.append(created('x')));
    await expect(open.run((tx) => tx.append(rowEvent('row.updated', 'x', { unset: ['z'] })))).rejects.toMatchObject({
      code: 'CORRUPT_LOG',
    });
    expect(await open.log.head()).toBe(1);
  });
});

describe('a command', () => {
  test('sees what it wrote, and what was before it', async () => {
    await open.run((tx) => tx.append(created('x', { a: 1 })));
    const seen = await open.run((tx) => {
      const before = tx.row('x');
      tx.append(updated('x', { a: 2 }));
      return [before?.data, tx.row('x')?.data, tx.rowAtVersion('x', 1)?.data, tx.rowAtVersion('x', 3)];
    });
    expect(seen).toEqual(['{"a":1}', '{"a":2}', '{"a":1}', null]);
  });

  test('may delete a row and make it again, with versions that go on', async () => {
    await open.run((tx) => tx.append(created('x', { a: 1 })));
    await open.run((tx) => {
      tx.append(deleted('x'));
      tx.append(created('x', { a: 2 }));
    });
    expect(open.rows.get('x')).toMatchObject({ data: '{"a":2}', version: 3 });
    expect(await open.run((tx) => tx.lastLiveRow('x'))).toMatchObject({ version: 3 });
  });

  test('without events has the head as its place', async () => {
    await open.run((tx) => tx.append(created('x')));
    expect(await open.log.append({ caller: tester, decide: () => 'read' })).toEqual({
      result: 'read',
      replayed: false,
      seq: 1,
    });
  });
});

describe('the log', () => {
  test('chains every event to the one before, and counts commits', async () => {
    await Promise.all([open.run((tx) => tx.append(created('x'))), open.run((tx) => tx.append(created('y')))]);
    await open.run((tx) => tx.append(created('z')));
    const events = await open.log.readAfter(0, 10);
    expect(events.map(({ seq, commit }) => [seq, commit])).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
    ]);
    expect(events.map((event) => event.prevHash)).toEqual([genesisHash, events[0]?.hash, events[1]?.hash]);
    for (const event of events) expect(event.hash).toBe(hashOf(event));
    expect(await open.log.readAfter(2, 10)).toEqual(events.slice(2));
    expect(await open.log.readAfter(0, 1)).toEqual(events.slice(0, 1));
  });

  test('does not give a number out again that somebody removed with its event', async () => {
    await open.run((tx) => tx.append(created('x')));
    await open.run((tx) => tx.append(created('y')));
    open.connection.exec('DROP TRIGGER _events_refuse_delete; DELETE FROM _events WHERE seq = 2');
    await open.run((tx) => tx.append(created('z')));
    expect(open.connection.prepare('SELECT seq FROM _events').pluck().all()).toEqual([1, 3]);
  });

  test('signals once per commit, after it, and not for a read', async () => {
    const heads: number[] = [];
    const subscription = open.log.committed$.subscribe(({ head }) => {
      expect(open.connection.inTransaction).toBe(false);
      heads.push(head);
    });
    await Promise.all(['a', 'b', 'c'].map((id) => open.run((tx) => tx.append(created(id)))));
    await open.run((tx) => tx.row('a'));
    await open.run((tx) => tx.append(created('d')));
    subscription.unsubscribe();
    expect(heads).toEqual([3, 4]);
  });

  test('goes on where another connection left it', async () => {
    const other = openLog(directory);
    await open.run((tx) => tx.append(created('x')));
    await other.run((tx) => tx.append(updated('x', { a: 1 })));
    await open.run((tx) => tx.append(updated('x', { b: 2 })));
    await other.close();
    expect(open.rows.get('x')).toMatchObject({ data: '{"a":1,"b":2}', version: 3 });
  });
});

describe('a command with a key', () => {
  test('conflicts with other arguments and changes nothing', async () => {
    await open.run(creating('x', 'first'), { idempotency: idempotency<string>('k') });
    const other = open.run(creating('y', 'second'), { idempotency: idempotency<string>('k', 'e') });
    await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT', fields: { key: 'k' } });
    expect(await open.log.head()).toBe(1);
  });

  test('is answered with its first result, also in the same commit and after a reopening', async () => {
    const command = (id: string) => ({
      caller: tester,
      idempotency: idempotency<string>('k'),
      decide: creating(id, id),
    });
    const [first, second] = await Promise.all([open.log.append(command('x')), open.log.append(command('y'))]);
    expect(first).toEqual({ result: 'x', replayed: false, seq: 1 });
    expect(second).toEqual({ result: 'x', replayed: true, seq: 1 });
    await open.close();
    open = openLog(directory);
    expect(await open.log.append(command('z'))).toEqual({ result: 'x', replayed: true, seq: 1 });
    expect(open.rows.count()).toBe(1);
  });

  test('that failed can be sent again', async () => {
    const failing = open.run(
      () => {
        throw new Error('no');
      },
      { idempotency: idempotency<string>('k') },
    );
    await expect(failing).rejects.toThrow('no');
    const again = await open.run(creating('x', 'x'), { idempotency: idempotency<string>('k') });
    expect(again).toBe('x');
  });
});

test('a closed log refuses, after it let the queue finish', async () => {
  const queued = Promise.all(['a', 'b'].map((id) => open.run((tx) => tx.append(created(id)))));
  const closing = open.log.close();
  await expect(open.run((tx) => tx.row('a'))).rejects.toMatchObject({ code: 'STORAGE_ERROR' });
  await closing;
  expect(await queued).toHaveLength(2);
});
