/**
 * Keeps stdout for the protocol: one stray line of a library would end the connection. Everything but the transport is
 * sent to stderr instead, where it does no harm and is still seen.
 */
import { Console } from 'node:console';
import type { Writable } from 'node:stream';

/** What the transport writes to. */
export interface ProtocolOutput {
  /** False when the reader is slow: wait for `drained` before the next one. */
  write(text: string): boolean;
  /** Resolves when the reader has caught up. */
  drained(): Promise<void>;
  /** Resolves when all that was written has left the process, or cannot. */
  flushed(): Promise<void>;
  /** Calls back when nobody reads any more, or writing fails. */
  onError(listener: (error: Error) => void): void;
}

/** A stream as protocol output. */
export function protocolOutput(stream: Writable): ProtocolOutput {
  return outputOver(stream, stream.write.bind(stream));
}

/** Takes stdout for the protocol. To be called before anything else runs; what is returned is the only way to it. */
export function guardStdout(
  stdout: NodeJS.WriteStream = process.stdout,
  stderr: NodeJS.WriteStream = process.stderr,
): ProtocolOutput {
  const output = outputOver(stdout, stdout.write.bind(stdout));
  stdout.write = stderr.write.bind(stderr);
  globalThis.console = new Console({ stdout: stderr, stderr });
  return output;
}

type Write = (text: string, written: () => void) => boolean;

function outputOver(stream: Writable, write: Write): ProtocolOutput {
  let last: Promise<void> = Promise.resolve();
  return {
    write(text) {
      let hasRoom = true;
      // Writes leave in their order, so the newest one is the last to be out.
      last = new Promise((resolve) => {
        hasRoom = write(text, resolve);
      });
      return hasRoom;
    },
    drained: () => firstOf(stream, ['drain', 'close', 'error']),
    flushed: () => last,
    onError: (listener) => void stream.on('error', listener),
  };
}

function firstOf(stream: Writable, events: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    for (const event of events) stream.on(event, done);
  });
}
