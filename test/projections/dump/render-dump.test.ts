import { describe, expect, it } from 'vitest';
import { renderDump } from '../../../src/projections/dump/render-dump.js';
import type { DumpSettings } from '../../../src/schema/table-schema.js';
import { objectText } from '../../helpers/small-log.js';

const defaults: Pick<DumpSettings, 'title_field' | 'body_field'> = { title_field: null, body_field: null };
const render = (text: string, settings = defaults) => renderDump(objectText(text), settings);

describe('the bytes of a dump', () => {
  it.each([
    ['{}', '# \n\n\n'],
    ['{"title":null,"body":null}', '# \n\n\n'],
    ['{"title":"T","body":"B"}', '# T\n\nB\n'],
    ['{"title":"T","body":"B\\n\\n\\n"}', '# T\n\nB\n'],
    ['{"title":"T","body":"\\n\\n"}', '# T\n\n\n'],
    ['{"title":"a\\nb","body":"\\nB\\r\\n"}', '# a\nb\n\n\nB\r\n'],
    ['{"title":42,"body":true}', '# 42\n\ntrue\n'],
    ['{"title":12345678901234567890,"body":1.0}', '# 12345678901234567890\n\n1.0\n'],
    ['{"title":["a",1],"body":{ "k" : [ 1, "x \\" y" ] }}', '# ["a",1]\n\n{"k":[1,"x \\" y"]}\n'],
    ['{"title":"日本 é \\ud83d\\ude00","body":"x"}', '# 日本 é 😀\n\nx\n'],
  ])('%s', (data, expected) => {
    expect(render(data)).toBe(expected);
  });

  it('takes the fields that the settings name', () => {
    expect(render('{"name":"N","text":"X","title":"no"}', { title_field: 'name', body_field: 'text' })).toBe(
      '# N\n\nX\n',
    );
  });
});
