/** Whether the work ended in time (milliseconds). It goes on either way. Rejects as the work does, when that is in time. */
export function within(work: Promise<unknown>, boundMs: number): Promise<boolean> {
  // A plain timer: one that a signal ends makes an error for every call that is in time.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), boundMs);
    work.finally(() => clearTimeout(timer)).then(() => resolve(true), reject);
  });
}
