import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/errors.js';
import { assertTemplate, renderFilter } from '../../../src/ops/filter-template/render-filter.js';
import type { JsonObject } from '../../../src/schema/json.js';

const params: JsonObject = {
  s: 'o"p\\\n{{x}}',
  evil: 'x","type":"or',
  n: 5,
  f: 1.5,
  b: true,
  nothing: null,
  list: ['a"', 1, null],
  map: { k: 'v' },
  digits: '5',
};

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof StoreError) return error.code;
    throw error;
  }
  return 'none';
}

describe('a template renders', () => {
  it.each([
    ['{"v":"{{ s }}"}', { v: params.s }],
    ['{"v":"%{{ s }}% {{ n }}"}', { v: `%${params.s}% 5` }],
    ['{"v":"{{ evil }}"}', { v: params.evil }],
    ['{"v":{{ n }},"w":[{{ nothing }},{{b}},{{- f -}}]}', { v: 5, w: [null, true, 1.5] }],
    ['{"v":{{ digits }},"w":"{{ digits }}"}', { v: 5, w: '5' }],
    ['{"v":{{ list }}}', { v: params.list }],
    ['{"v":{{ s|tojson }},"m":{{ map|tojson }}}', { v: params.s, m: params.map }],
    ['{"v":"{{ s|tojson }}"}', { v: JSON.stringify(params.s) }],
    ['{"v":"{{ s|upper }}","n":{{ list|length }}}', { v: params.s?.toString().toUpperCase(), n: 3 }],
    ['{"v":"{{ missing|default("x") }}"}', { v: 'x' }],
    ['{% if n == 5 and s is defined %}{"v":1}{% else %}{"v":2}{% endif %}', { v: 1 }],
    ['[{% for t in list %}"{{ t }}"{{ "," if not loop.last }}{% endfor %}]', ['a"', '1', 'none']],
    ["[{% for t in list %}{{ t|tojson }}{{ ', ' if not loop.last else '' }}{% endfor %}]", ['a"', 1, null]],
    ['{% set q %}<{{ s }}>{% endset %}{"v":"{{ q }}"}', { v: `<${params.s}>` }],
    ['{% macro m(x) %}<{{ x }}>{% endmacro %}{"v":"{{ m(s)|length }}{{ m(s) }}"}', { v: `12<${params.s}>` }],
    ['{%- set q = s ~ "!" -%} {"v": "{{- q -}}"}', { v: `${params.s}!` }],
    ['{% raw %}{"v":"{{ x }}"}{% endraw %}', { v: '{{ x }}' }],
    ['{# {{ s }} "#}{"v":"{{ {"a":{"b":1}} }}"}', { v: '{"a": {"b": 1}}' }],
    ['{"v":"{{ "}}" }}{{ \'%}\' }}"}', { v: '}}%}' }],
    ['{"v":"\\"{{ s }}\\\\"}', { v: `"${params.s}\\` }],
  ])('%s', (template, expected) => {
    expect(renderFilter(template, params)).toEqual(expected);
  });

  it('a key called __proto__ as plain data', () => {
    const rendered = renderFilter('{"__proto__":{"a":"{{ s }}"}}', params);
    expect(JSON.stringify(rendered)).toBe(
      JSON.stringify(JSON.parse(`{"__proto__":{"a":${JSON.stringify(params.s)}}}`)),
    );
  });
});

describe('ALIAS_TEMPLATE_ERROR', () => {
  it.each([
    '{"v":"{{ missing }}"}',
    '{"v":"{{ map.missing }}"}',
    '{"v":"{% if missing %}{% endif %}"}',
    '{"v":"{{ s"}',
    '{"v":"{{ s|nope }}"}',
    '{"v":{{ s }}}',
    '{"v":{{ evil }}}',
    '{"v":{{ map }}}',
    '{"{{ s }}":1}',
    '{{ "{" }}',
    '{"v":"{{ s|tojson|upper }}"}',
    '{% filter upper %}"{{ s }}"{% endfilter %}',
    '{% include "x" %}',
    '{% for i in range(10000) %}{% for j in range(10000) %}{% endfor %}{% endfor %}1',
    '{% for i in range(100000000) %}{% endfor %}1',
    '{% macro m() %}{{ m() }}{% endmacro %}"{{ m() }}"',
  ])('%s', (template) => {
    expect(codeOf(() => renderFilter(template, params))).toBe('ALIAS_TEMPLATE_ERROR');
  });

  it('of a missing variable behind tojson', () => {
    expect(codeOf(() => renderFilter('{"v":{{ missing|tojson }}}', { s: 'x' }))).toBe('ALIAS_TEMPLATE_ERROR');
  });

  it('names the line and holds no value', () => {
    const error = (() => {
      try {
        return renderFilter('{"a":\n"{{ secret }}{{ missing }}"}', { secret: 'hunter2' });
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toMatchObject({ fields: { detail: 'undefined value (line 2)' } });
    expect(JSON.stringify(error)).not.toContain('hunter2');
  });
});

describe('VALIDATION_ERROR', () => {
  it.each(['x', '{"v":}', '{"v":"\\{{ s }}"}', '{"v":"\\u00{{ s }}"}', '{{ n }}{{ n }}x'])('%s', (template) => {
    expect(codeOf(() => renderFilter(template, params))).toBe('VALIDATION_ERROR');
  });
});

describe('the engine survives', () => {
  const works = () => expect(renderFilter('"{{ s }}"', { s: 'x' })).toBe('x');

  it('values nested as deep as a stack, cycles and functions', () => {
    let deep: JsonObject = {};
    for (let depth = 0; depth < 5_000; depth++) deep = { deep };
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const odd: readonly object[] = [deep, cyclic, { f: () => 1 }];
    for (let times = 0; times < 3; times++) {
      for (const value of odd) expect(codeOf(() => renderFilter('"{{ a }}"', { ...value }))).not.toBe('none');
      works();
    }
  });

  it('expressions that exhaust its stack', () => {
    const nested = [`{{ ${'not '.repeat(4_900)}1 }}`, `{{ ${'['.repeat(9_000)}`, `{{ 1${'|string'.repeat(2_500)} }}`];
    for (const template of [...nested, ...nested]) {
      codeOf(() => assertTemplate(template));
      codeOf(() => renderFilter(template, {}));
      works();
    }
  });

  it('templates and parameters that are too large', () => {
    expect(codeOf(() => assertTemplate('x'.repeat(20_001)))).toBe('ALIAS_TEMPLATE_ERROR');
    expect(codeOf(() => renderFilter('1', { a: 'x'.repeat(1_000_001) }))).toBe('VALIDATION_ERROR');
    expect(codeOf(() => renderFilter('1', { a: '\0' }))).toBe('VALIDATION_ERROR');
    works();
  });
});
