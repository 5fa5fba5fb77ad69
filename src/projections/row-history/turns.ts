/** Long work in steps: between them the event loop serves others. */
import { setImmediate } from 'node:timers/promises';

/** Bytes that are worked on in one go: a few milliseconds. */
const bytesPerTurn = 256 * 1024;

export class Turns {
  #bytes = 0;

  /** Gives others a turn when enough was done since the last one. */
  async after(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes < bytesPerTurn) return;
    this.#bytes = 0;
    await setImmediate();
  }
}
