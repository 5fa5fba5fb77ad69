import { describe, expect, it } from 'vitest';
import { parseSchema } from '../../src/schema/parse-schema.js';
import { renderSchema } from '../../src/schema/render-schema.js';
import { refusal } from './refusal.js';

const file = '/home/user/.mini-app/issues/schema.yaml';
const detailOf = (text: string) => refusal('SCHEMA_ERROR', () => parseSchema(text, file)).fields;

describe('parseSchema', () => {
  it('names file, line, field, what is allowed and what it got', () => {
    const text =
      'table: issues\nfields:\n  - name: a\n    type: string\n  - name: b\n    type: number\n  - {name: c, type: text}\n';
    expect(detailOf(text)).toEqual({
      detail: "issues/schema.yaml:7: fields[2].type: must be one of string, number, boolean, array, object; got 'text'",
      file: 'issues/schema.yaml',
      line: 7,
      field: 'fields[2].type',
    });
  });

  it.each([
    ['nothing', '', 1, /must be a mapping.*got null/],
    ['a list', '- a\n', 1, /got a list/],
    ['no table', 'fields: []\n', 1, /table: is missing/],
    ['no fields', '\ntable: a\n', 1, /fields: is missing/],
    ['no type', 'table: a\nfields:\n  - name: x\n', 3, /fields\[0\]\.type: is missing/],
    ['a numeric table', 'fields: []\ntable: 5\n', 2, /must be a string; got 5/],
    ['an empty table', 'table: ""\nfields: []', 1, /must not be empty/],
    [
      'an empty field name',
      'table: a\nfields:\n  - {name: "", type: string}',
      3,
      /fields\[0\]\.name: must not be empty/,
    ],
    [
      'a repeated field',
      'table: a\nfields:\n- {name: x, type: string}\n- {name: x, type: number}',
      4,
      /must be unique/,
    ],
    ['required: yes', 'table: a\nfields:\n- name: x\n  type: string\n  required: yes', 5, /true or false; got 'yes'/],
    ['history: OFF', 'table: a\nfields: []\nhistory: OFF', 3, /must be full or off; got 'OFF'/],
    ['history: false', 'table: a\nfields: []\nhistory: false', 3, /must be full or off; got false/],
    ['another sync', 'table: a\nfields: []\ndump:\n  sync: both', 4, /dump\.sync: must be write-only or bidirectional/],
    ['broken YAML', 'table: a\nfields:\n - name: x\n  type: [', 4, /indicator/],
    ['a repeated key', 'table: a\r\ntable: b\r\nfields: []\r\n', 2, /unique/],
    ['a tag', 'table: !thing a\nfields: []', 1, /tag/],
    ['two documents', 'table: a\nfields: []\n---\ntable: b', 3, /one YAML document/],
    ['a merge key', '<<: {table: b}\nfields: []', 1, /table: is missing/],
    ['hostile depth', '['.repeat(100_000), 1, /too deeply nested/],
  ])('refuses %s with its line', (_, text, line, detail) => {
    const fields = detailOf(text);
    expect(fields).toMatchObject({ line, file: 'issues/schema.yaml' });
    expect(fields).toHaveProperty('detail', expect.stringMatching(detail));
  });

  it('refuses aliases that multiply and files that are no schema', () => {
    const rows = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (const [from, to] of ['ab', 'bc', 'cd', 'de']) rows.push(`${to}: &${to} [${`*${from}, `.repeat(9)}*${from}]`);
    expect(detailOf(`${rows.join('\n')}\ntable: t\nfields: []`)).toHaveProperty(
      'detail',
      expect.stringContaining('aliases'),
    );
    expect(detailOf(`table: a\nfields: []\n#${'x'.repeat(1_100_000)}`)).toHaveProperty(
      'detail',
      expect.stringContaining('longer than'),
    );
  });

  it('reads every key, with the defaults of absent ones', () => {
    const text =
      'table: issues\ntitle: Issues\nlater: {any: thing}\nfields:\n  - name: title\n    type: string\n    required: true\n' +
      '    description: What it is\n    later: 1\n  - {name: a.b, type: array}\ndump:\n  dir: out\n  sync: write-only\n';
    expect(parseSchema(text, file)).toEqual({
      table: 'issues',
      title: 'Issues',
      description: null,
      fields: [
        { name: 'title', type: 'string', required: true, description: 'What it is' },
        { name: 'a.b', type: 'array', required: false, description: null },
      ],
      dump: { dir: 'out', title_field: null, body_field: null, sync: 'write-only' },
      history: 'full',
    });
  });

  it('takes an unquoted off for the word, an empty dump for all defaults, BOM, CRLF and few aliases', () => {
    const schema = parseSchema(
      '\ufefftable: a\r\ntitle: &t Tasks\r\ndescription: *t\r\nfields: []\r\ndump: {}\r\nhistory: off\r\n',
      file,
    );
    expect(schema).toMatchObject({ table: 'a', description: 'Tasks', history: 'off' });
    expect(schema.dump).toEqual({ dir: null, title_field: null, body_field: null, sync: null });
    expect(parseSchema('table: a\nfields: []\ndump:\n', file).dump).toBeNull();
  });

  it('shows its keys in the order of the answers', () => {
    const schema = parseSchema('history: off\nfields: [{type: string, name: x}]\ntable: a', file);
    expect(JSON.stringify(schema)).toBe(
      '{"table":"a","title":null,"description":null,"fields":[{"name":"x","type":"string","required":false,"description":null}],"dump":null,"history":"off"}',
    );
  });
});

describe('renderSchema', () => {
  it('writes every key in order and quotes what a reader could take for something else', () => {
    const schema = parseSchema(
      'table: a\ntitle: "yes"\ndescription: "1.0\\u2028: #"\nfields: [{name: n o, type: number}]',
      file,
    );
    expect(renderSchema(schema)).toBe(
      'table: a\ntitle: "yes"\ndescription: "1.0\\u2028: #"\nfields:\n  - name: n o\n    type: number\n    required: false\n' +
        '    description: null\ndump: null\nhistory: full\n',
    );
  });
});
