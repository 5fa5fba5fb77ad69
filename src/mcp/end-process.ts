/** The one way in which a server ends its own process: an end that did not go through here is somebody else's. */

let isOwn = false;

/** @param code the one that was set on the process, or 0, when left out. */
export function endProcess(code = process.exitCode): never {
  isOwn = true;
  process.exit(code);
}

/** Whether the process ends because the server wants it to. */
export function isOwnEnd(): boolean {
  return isOwn;
}
