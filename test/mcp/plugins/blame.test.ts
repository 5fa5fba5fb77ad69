/** Which plugin a stack leads to. */
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { blameFor, placeIn } from '../../../src/mcp/plugins/blame.js';
import { parsePluginSpec } from '../../../src/mcp/plugins/plugin-spec.js';

const here = parsePluginSpec('./one.mjs', '/plugins/a b');
const beside = parsePluginSpec('./two.mjs', '/plugins/a b');
const elsewhere = parsePluginSpec('./three.cjs', '/plugins/c');
const installed = parsePluginSpec('@scope/four', '/plugins');
const specs = [here, beside, elsewhere, installed];

function failure(...lines: string[]): Error {
  const error = new Error('x');
  error.stack = ['Error: x', ...lines].join('\n');
  return error;
}

const url = (path: string) => pathToFileURL(path).href;

test.each([
  ['its module by URL', [`    at f (${url('/plugins/a b/two.mjs')}:3:7)`], beside, '/plugins/a b/two.mjs:3:7'],
  [
    'its module by path',
    ['    at Object.<anonymous> (/plugins/c/three.cjs:1:2)'],
    elsewhere,
    '/plugins/c/three.cjs:1:2',
  ],
  ['a file beside it', ['    at async /plugins/c/lib/x.cjs:4:5'], elsewhere, '/plugins/c/lib/x.cjs:4:5'],
  [
    'a package',
    ['    at /srv/node_modules/@scope/four/index.js:1:1'],
    installed,
    '/srv/node_modules/@scope/four/index.js:1:1',
  ],
])('%s', (_, lines, spec, at) => {
  expect(blameFor(failure('    at node:internal/timers:1:1', ...lines), specs)).toEqual({ spec, at });
  expect(placeIn(failure(...lines), spec)).toBe(at);
});

test.each([
  ['a file beside two of them', ['    at f (/plugins/a b/shared.mjs:1:1)']],
  ['a dependency that lies beside it', ['    at f (/plugins/c/node_modules/x/index.js:1:1)']],
  ['this program', [`    at f (${new URL('../../../src/mcp/call.ts', import.meta.url).href}:1:1)`]],
  ['Node', ['    at node:internal/timers:1:1']],
])('nobody for %s', (_, lines) => {
  const around = parsePluginSpec('./greet.mjs', new URL('../../../', import.meta.url).pathname);
  expect(blameFor(failure(...lines), [...specs, around])).toBeUndefined();
  expect(blameFor('no error', specs)).toBeUndefined();
});
