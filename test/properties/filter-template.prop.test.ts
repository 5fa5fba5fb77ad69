/** Whatever a parameter holds, the rendered filter has the structure it has for a harmless word (rulings §2 "templates"). */
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderFilter } from '../../src/ops/filter-template/render-filter.js';
import type { JsonValue } from '../../src/schema/json.js';
import { propertyRuns } from '../helpers/property-runs.js';

const harmless = 'harmlessWord';

const hostile = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc
      .array(
        fc.constantFrom(
          ...[
            '"',
            '\\',
            '\n',
            '\r',
            '\t',
            '{',
            '}',
            '[',
            ']',
            ',',
            ':',
            '{{',
            '}}',
            '{%',
            '%}',
            '{#',
            '#}',
            "'",
            '\u2028',
          ],
          ...[
            '","type":"or","filters":[',
            '"}',
            '\\u0022',
            '{{ other }}',
            'Q0Q',
            '%',
            '_',
            'é',
            '🙂',
            'true',
            '__proto__',
          ],
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join('')),
  )
  .filter((text) => text.isWellFormed() && !text.includes('\0'));

/** A string member of a filter: its template, and what it must become for a parameter. */
interface Style {
  readonly template: string;
  readonly value: (parameter: string) => string;
}

const same = (parameter: string) => parameter;
const style: fc.Arbitrary<Style> = fc.constantFrom<Style>(
  { template: '"{{ p }}"', value: same },
  { template: '"{{- p -}}"', value: same },
  { template: '{{ p|tojson }}', value: same },
  { template: '"%{{ p }}%"', value: (parameter) => `%${parameter}%` },
  { template: '"{{ p }}{{ p }}"', value: (parameter) => parameter + parameter },
  { template: '"\\"{{ p }}\\\\"', value: (parameter) => `"${parameter}\\` },
  { template: '"{{ p ~ \'!\' }}"', value: (parameter) => `${parameter}!` },
  { template: '"{% if p == "harmlessWord" %}{{ p }}{% else %}{{ p }}{% endif %}"', value: same },
  { template: '"{% set q %}<{{ p }}>{% endset %}{{ q }}"', value: (parameter) => `<${parameter}>` },
  { template: '"{% set q = p %}{{ q }}"', value: same },
  { template: '"{% macro m(x) %}({{ x }}){% endmacro %}{{ m(p) }}"', value: (parameter) => `(${parameter})` },
  { template: '"{% for x in [p, p] %}{{ x }}{{ "," if not loop.last }}{% endfor %}"', value: (p) => `${p},${p}` },
  { template: '"{% with q = p %}{{ q }}{% endwith %}{# {{ p }} #}"', value: same },
);

interface Sample {
  readonly template: string;
  readonly filter: (parameter: string) => JsonValue;
}

const leaf: fc.Arbitrary<Sample> = fc.oneof(
  style.map(({ template, value }) => ({
    template: `{"type":"eq","field":"f","value":${template}}`,
    filter: (parameter: string) => ({ type: 'eq', field: 'f', value: value(parameter) }),
  })),
  style.map(({ template, value }) => ({
    template: `{"type": "like", "field": "f", "pattern": ${template}}`,
    filter: (parameter: string) => ({ type: 'like', field: 'f', pattern: value(parameter) }),
  })),
  fc.array(style, { minLength: 1, maxLength: 3 }).map((styles) => ({
    template: `{"type":"in","field":"f","values":[${styles.map(({ template }) => template).join(' , ')}]}`,
    filter: (parameter: string) => ({ type: 'in', field: 'f', values: styles.map(({ value }) => value(parameter)) }),
  })),
  fc.constant({
    template:
      '{"type":"in","field":"f","values":[{% for x in list %}{{ x|tojson }}{{ "," if not loop.last }}{% endfor %}]}',
    filter: (parameter: string) => ({ type: 'in', field: 'f', values: [parameter, 'b'] }),
  }),
  fc.constant({
    template: '{"type":"in","field":"f","values":{{ list }}}',
    filter: (parameter: string) => ({ type: 'in', field: 'f', values: [parameter, 'b'] }),
  }),
);

const sample: fc.Arbitrary<Sample> = fc
  .tuple(fc.constantFrom('or', 'and', null), fc.array(leaf, { minLength: 1, maxLength: 3 }))
  .map(([type, leaves]) => {
    const [first] = leaves;
    if (type === null && first !== undefined) return first;
    return {
      template: `{"type":"${type}","filters":[${leaves.map(({ template }) => template).join(',')}]}`,
      filter: (parameter: string) => ({ type, filters: leaves.map(({ filter }) => filter(parameter)) }),
    };
  });

describe('a string parameter', () => {
  it('becomes the text of its place and nothing else', () => {
    fc.assert(
      fc.property(sample, hostile, ({ template, filter }, parameter) => {
        const render = (p: string) => renderFilter(template, { p, list: [p, 'b'] });
        expect(render(harmless)).toEqual(filter(harmless));
        expect(render(parameter)).toEqual(filter(parameter));
      }),
      propertyRuns(300),
    );
  });

  it('outside of quotes is refused, or a number or boolean', () => {
    fc.assert(
      fc.property(hostile, (p) => {
        const template = '{"type":"eq","field":"f","value":{{ p }}}';
        try {
          const { value, ...rest } = { ...(renderFilter(template, { p }) as { value: unknown }) };
          expect(rest).toEqual({ type: 'eq', field: 'f' });
          expect(['number', 'boolean']).toContain(typeof value);
        } catch (error) {
          expect(error).toMatchObject({ code: 'ALIAS_TEMPLATE_ERROR' });
        }
      }),
      propertyRuns(200),
    );
  });
});

const { Environment } = createRequire(import.meta.url)('minijinja-js') as typeof import('minijinja-js');

/** What the engine itself makes of a template, or null when it refuses it. */
function native(template: string, context: object): string | null {
  const environment = new Environment();
  environment.undefinedBehavior = 'strict';
  try {
    return environment.renderStr(template, context);
  } catch {
    return null;
  } finally {
    environment.free();
  }
}

const snippet = fc.constantFrom(
  ...[
    '{{ a }}',
    '{{- a -}}',
    '{{+ a }}',
    '{{a|upper}}',
    "{{ '}}' }}",
    '{{ "a" ~ \'%}\' }}',
    '{{ [a, [1]] }}',
    '{{ (a) }}',
  ],
  ...['{# c #}', '{#- {{ -#}', '{% raw %}{{ a }}{% endraw %}', '{%- raw -%} {% x %} {%- endraw -%}', '{{ a[0] }}'],
  ...['{% if a %}', '{%- if not a -%}', '{% else %}', '{%- endif -%}', '{% endif %}', '{% set b = a %}', '{{ b }}'],
  ...[
    '{% set c | upper %}',
    '{% set c %}',
    '{%- endset %}',
    '{{ c }}',
    '{% for x in [a, a] %}',
    '{% endfor %}',
    '{{ x }}',
  ],
  ...[
    '{{ {"k":{"l":a}}["k"]["l"] }}',
    '{{ a if a else 1 }}',
    '{{ "," if a }}',
    "{{ ',' if not a else ':' }}",
    '{{ none }}',
  ],
  ...[
    '{% macro m(x) %}',
    '{% endmacro %}',
    '{{ m(a) }}',
    '{{ 1 == 1 }}',
    '{{ 2.0 }}',
    ' ',
    ' text ',
    '}',
    '}}',
    '%}',
    '{',
    '#}',
  ],
);

it('a harmless parameter renders as the engine itself renders it', () => {
  let compared = 0;
  fc.assert(
    fc.property(fc.array(snippet, { minLength: 1, maxLength: 7 }), (snippets) => {
      const template = `"${snippets.join('')}"`;
      const text = native(template, { a: 'word' });
      if (text === null) return;
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        return;
      }
      compared++;
      expect(renderFilter(template, { a: 'word' })).toBe(expected);
    }),
    { ...propertyRuns(3_000), examples: [[['{% set c | upper %}', '{{ a }}', '{%- endset %}', '{{ c }}']]] },
  );
  expect(compared).toBeGreaterThan(100);
});
