import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/mcp/log.js';

function logged(
  write: (log: ReturnType<typeof createLogger>) => void,
  options: { level?: 'debug'; colour?: boolean } = {},
) {
  let text = '';
  const now = () => new Date(0);
  write(
    createLogger({
      colour: false,
      ...options,
      now,
      write: (line) => {
        text += line;
      },
    }),
  );
  return text;
}

describe('the log', () => {
  it('writes one line an entry, from its level on', () => {
    expect(
      logged((log) => {
        log.debug('no');
        log.warn('yes', { n: 1 });
      }),
    ).toBe('1970-01-01T00:00:00.000Z WARN yes {"n":1}\n');
    expect(logged((log) => log.debug('yes'), { level: 'debug' })).toContain('DEBUG yes');
  });

  it('shows the beginning of an endless error, and what cannot be looked at as such', () => {
    const long = logged((log) => log.error('x', { error: new Error('y'.repeat(1e6)) }));
    expect(long).toContain('(1000000 characters)');
    expect(long.length).toBeLessThan(40_000);
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(logged((log) => log.error('x', { proxy }))).toContain('ERROR x {"proxy":');
  });

  it('shows an error with all of its causes, on one line', () => {
    const text = logged((log) => log.error('x', { error: new Error('outer', { cause: new Error('inner\nline') }) }));
    expect(text).toMatch(/outer.*inner\\nline/);
    expect(text.trimEnd()).not.toContain('\n');
  });

  it('uses colour only where it is asked to, and survives what cannot be serialised', () => {
    expect(logged((log) => log.info('x'))).not.toContain('\u001b');
    expect(logged((log) => log.info('x'), { colour: true })).toContain('\u001b[');
    expect(logged((log) => log.info('x', { big: 1n }))).toContain('{"big":"1n"}');
  });
});
