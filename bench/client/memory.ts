import { readFileSync } from 'node:fs';

/** Memory of a process and its descendants in MiB, now and at its most; NaN where there is no /proc. */
export function memoryOf(pid: number): { now: number; peak: number } {
  if (process.platform !== 'linux') return { now: Number.NaN, peak: Number.NaN };
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const own = { now: mebibytes(status, 'VmRSS'), peak: mebibytes(status, 'VmHWM') };
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.map((child) => memoryOf(Number(child))).reduce(sum, own);
}

function sum(one: { now: number; peak: number }, other: { now: number; peak: number }) {
  return { now: one.now + other.now, peak: one.peak + other.peak };
}

function mebibytes(status: string, key: string): number {
  return Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1_024;
}
