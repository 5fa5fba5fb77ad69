import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

interface Field {
  readonly name: string;
  readonly type: string;
  readonly required?: boolean;
  readonly description?: string;
}

test.each([
  ['schemas/issues', 'issues', ['legacy_id', 'title*', 'status*', 'body', 'tags', 'target']],
  ['schemas/relations', 'relations', ['from*', 'to*', 'type*', 'ts*', 'strength', 'metadata', 'source_entry_id']],
])('%s has the fields that its users know', (file, table, fields) => {
  const schema = schemaOf(`${file}.schema.yaml`);
  expect(schema.table).toBe(table);
  expect(schema.fields.map(({ name, required }) => (required === true ? `${name}*` : name))).toEqual(fields);
  expect(schema.fields.every(({ description = '' }) => description.length > 10)).toBe(true);
});

test('every issue of the demo fits the schema of the demo', () => {
  const { fields } = schemaOf('demo/issues/schema.yaml');
  const issues = example('data/issues.jsonl')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const known = new Map(fields.map((field) => [field.name, field]));
  expect(issues.length).toBeGreaterThanOrEqual(40);
  for (const issue of issues) {
    for (const { name } of fields.filter(({ required }) => required === true)) expect(issue).toHaveProperty(name);
    for (const [name, value] of Object.entries(issue)) {
      expect([name, Array.isArray(value) ? 'array' : typeof value]).toEqual([name, known.get(name)?.type]);
    }
  }
});

function schemaOf(file: string): { table: string; fields: Field[] } {
  return parse(example(file)) as { table: string; fields: Field[] };
}

function example(file: string): string {
  return readFileSync(new URL(`../examples/${file}`, import.meta.url), 'utf8');
}
