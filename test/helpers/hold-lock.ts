/** Another process that holds the write lock of a database file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const script = `
  const { createRequire } = await import('node:module');
  const Database = createRequire(process.argv[1])('better-sqlite3');
  const database = new Database(process.argv[2]);
  database.exec('BEGIN IMMEDIATE');
  process.stdout.write('held\\n');
  process.stdin.on('end', () => { database.exec('ROLLBACK'); database.close(); process.exit(); }).resume();`;

/** Takes the lock; the function returned lets go of it. */
export async function holdLock(path: string): Promise<() => Promise<void>> {
  const here = import.meta.url;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, here, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.end();
    await once(child, 'close');
  };
}
