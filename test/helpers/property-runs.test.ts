import { afterEach, expect, test, vi } from 'vitest';
import { propertyRuns } from './property-runs.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('a property runs its own number of times unless the environment asks for another', () => {
  vi.stubEnv('MINI_APP_PROPERTY_RUNS', '');
  expect(propertyRuns(50)).toEqual({ numRuns: 50 });
  vi.stubEnv('MINI_APP_PROPERTY_RUNS', '2000');
  expect(propertyRuns(50)).toEqual({ numRuns: 2000 });
});

test.each(['0', '-1', '1.5', 'many'])('the number of runs is refused when it is %s', (text) => {
  vi.stubEnv('MINI_APP_PROPERTY_RUNS', text);
  expect(() => propertyRuns(50)).toThrow(RangeError);
});
