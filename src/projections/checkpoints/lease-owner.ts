/** Who holds a lease: `host:pid:random`. The random part tells two mounts in one process, and a reused pid, apart. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** A fresh owner string of this process. */
export function newOwner(): string {
  return `${hostname()}:${process.pid}:${randomBytes(6).toString('hex')}`;
}

/** True only when the owner certainly is gone: a process of this host whose pid no longer exists. */
export function isDeadOwner(owner: string): boolean {
  const [, host, pid] = /^(.*):(\d+):[^:]*$/.exec(owner) ?? [];
  return host === hostname() && !isAlive(Number(pid));
}

/** Whether a process of this host exists. One that may not be signalled counts as alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
