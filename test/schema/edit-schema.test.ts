import { expect, it } from 'vitest';
import { editSchema } from '../../src/schema/edit-schema.js';
import { parseSchema } from '../../src/schema/parse-schema.js';
import type { TableSchema } from '../../src/schema/table-schema.js';

const text = `# Issues of the team
table: issues # never rename
title: "Issues"
fields:
  # what it is about
  - { name: title, type: string, required: true }
  - name: state # open or closed
    type: string
history: off
`;

const schema = parseSchema(text, 'schema.yaml');

it('leaves a text alone that says the same', () => {
  expect(editSchema(text, schema)).toBe(text);
});

it('keeps comments and order around what changes', () => {
  const [title] = schema.fields;
  const points = { name: 'points', type: 'number', required: false, description: 'off' } as const;
  const changed: TableSchema = {
    ...schema,
    title: null,
    description: 'yes: all',
    fields: [...(title === undefined ? [] : [title]), points],
    indexes: ['points'],
  };
  const edited = editSchema(text, changed);
  expect(parseSchema(edited, 'schema.yaml')).toEqual(changed);
  for (const kept of ['# Issues of the team', 'table: issues # never rename', '# what it is about', 'history: off']) {
    expect(edited).toContain(kept);
  }
  expect(edited).not.toContain('state');
  expect(parseSchema(editSchema(edited, schema), 'schema.yaml')).toEqual(schema);
});

it.each(['', '[', 'fields: &a []\ntable: *a\n', '- list'])('writes anew what cannot be edited: %j', (broken) => {
  expect(parseSchema(editSchema(broken, schema), 'schema.yaml')).toEqual(schema);
});
