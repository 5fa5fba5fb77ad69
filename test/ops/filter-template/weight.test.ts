/** Templates that make much out of little: where they are rendered, and that they are stopped. */
import { describe, expect, it } from 'vitest';
import { checkTemplateApart, renderApart } from '../../../src/ops/filter-template/render-apart.js';
import { isLight } from '../../../src/ops/filter-template/weight.js';

const filter = (output: string) => `{"type":"eq","field":"title","value":"${output}"}`;
const doubling = `{% set a = "xxxxxxxxxx" %}${'{% set a %}{{ a }}{{ a }}{% endset %}'.repeat(30)}${filter('{{ a }}')}`;

const light: readonly string[] = [
  filter('{{ title }}'),
  filter('{{ title|default("a*b")|upper|trim }}'),
  '{% if (state) and (not (urgent)) %}{"type":"eq","field":"state","value":{{ state|tojson }}}{% endif %}',
  '{"type":"in","field":"a","values":[{% for v in values %}"{{ v }}"{{ "," if not loop.last }}{% endfor %}]}',
  '{"type":"in","field":"a","values":["{{ values|join(\'","\') }}"]}',
  `{% set a = b.c %}${filter('{{ a - 1 }}')}`,
];

const heavy: readonly string[] = [
  filter('{{ "x" * 1000000000 }}'),
  filter('{{ a ~ a }}'),
  filter('{{ a + a }}'),
  filter('{{ a|replace("a", "aaaa") }}'),
  filter('{{ a|replace ("a", "aaaa") }}'),
  filter('{{ [1]|tojson(indent=100000000) }}'),
  filter('{{ a|join(a)|join(a) }}'),
  filter('{{ a["*"].x() }}'),
  filter('{{ ("a" if b else c)(1) }}'),
  '{% for i in range(10) %}{% endfor %}',
  doubling,
  `{% for v in values %}${'text'.repeat(2_000)}{% endfor %}`,
];

describe('a template', () => {
  it.each(light)('is rendered here: %s', (template) => expect(isLight(template, 1_000)).toBe(true));
  it.each(heavy)('is rendered apart: %s', (template) => expect(isLight(template, 1_000)).toBe(false));
  it('is rendered apart when its parameters are long and it repeats them', () => {
    expect(isLight(light[0] ?? '', 1_000_000)).toBe(true);
    expect(isLight(light[3] ?? '', 1_000_000)).toBe(false);
    expect(isLight(filter('{{ a }}'.repeat(1_000)), 1_000_000)).toBe(false);
  });

  it('that multiplies is answered like any other', async () => {
    expect(await renderApart(filter('{{ "ab" * 3 }}'), {})).toEqual({ type: 'eq', field: 'title', value: 'ababab' });
    await expect(renderApart(filter('{{ missing * 3 }}'), {})).rejects.toMatchObject({ code: 'ALIAS_TEMPLATE_ERROR' });
    await expect(renderApart('{{ 1 + 1 }', {})).rejects.toMatchObject({ code: 'ALIAS_TEMPLATE_ERROR' });
  });

  it('is stopped when compiling it multiplies', async () => {
    const before = process.memoryUsage().rss;
    const check = checkTemplateApart(filter('{{ "x" * 1000000000 }}'));
    await expect(check).rejects.toMatchObject({
      code: 'ALIAS_TEMPLATE_ERROR',
      fields: { detail: expect.stringContaining('MiB') },
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    await checkTemplateApart(filter('{{ a * 2 }}'));
  });

  const nested = '{% for a in range(200) %}{% for b in range(200) %}"text that is repeated",{% endfor %}{% endfor %}';
  it.each([
    ['a text times a number', filter('{{ "x" * 1000000000 }}'), {}],
    ['a parameter times a number', filter('{{ a * n }}'), { a: 'xyz', n: 900_000_000 }],
    ['doubled blocks', doubling, {}],
    ['loops in loops', `[${nested.replace('200', '2000')}1]`, {}],
    [
      'a long parameter in a loop',
      `{% for i in list %}${filter('{{ text }}')}{% endfor %}`,
      { list: [...Array(500).keys()], text: 'x'.repeat(100_000) },
    ],
  ])('is stopped: %s', async (_, template, params) => {
    let turns = 0;
    const clock = setInterval(() => turns++, 20);
    const start = performance.now();
    await expect(renderApart(template, params)).rejects.toMatchObject({ code: 'ALIAS_TEMPLATE_ERROR' });
    clearInterval(clock);
    expect(turns).toBeGreaterThan((performance.now() - start) / 80);
  });
});
