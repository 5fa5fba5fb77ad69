import { within } from '../within.js';
import { PluginFailure } from './plugin-status.js';

/** What the work resolves with. @throws PluginFailure with the words after the bound (milliseconds); what the work throws. */
export async function inTime<T>(work: Promise<T>, boundMs: number, words: string): Promise<T> {
  if (!(await within(work, boundMs))) throw new PluginFailure(words);
  return work;
}
