/**
 * How often a property runs: its own default, or what MINI_APP_PROPERTY_RUNS says for a longer search.
 * @throws RangeError when the variable is no positive whole number, so that a typing error does not pass as a long run.
 */
export function propertyRuns(usual: number): { numRuns: number } {
  const text = process.env.MINI_APP_PROPERTY_RUNS ?? '';
  if (text === '') return { numRuns: usual };
  const runs = Number(text);
  if (Number.isSafeInteger(runs) && runs > 0) return { numRuns: runs };
  throw new RangeError(`MINI_APP_PROPERTY_RUNS must be a positive whole number, not '${text}'`);
}
