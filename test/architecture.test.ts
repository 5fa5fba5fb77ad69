import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  declaredIn,
  direction,
  filesStaySmall,
  heavyPackagesLoadLate,
  importsResolve,
  noBarrels,
  noCycles,
  nothingLeftToDo,
  packagesInTheirPlace,
  projectionsStandAlone,
  type Rule,
} from './helpers/architecture-rules.js';
import { readSourceFiles, type SourceFile, sourceFile } from './helpers/source-files.js';

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;
const declared = new Set(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }));
const source = readSourceFiles(fileURLToPath(new URL('../src', import.meta.url)));

/** Each rule with a small tree that breaks it, so that a rule which sees nothing is noticed. */
const rules: readonly [name: string, rule: Rule, breaker: Record<string, string>, complaint: string][] = [
  [
    'imports go one way',
    direction,
    { 'events/a.ts': "import {\n  x,\n} from '../ops/b.js';", 'ops/b.ts': '' },
    "events/a.ts:1 is part of 'events' and must not import 'ops' (ops/b.ts)",
  ],
  [
    'no import cycles, type imports included',
    noCycles,
    { 'a.ts': "import type { B } from './b.js';", 'b.ts': "export * from './c.js';", 'c.ts': "import './a.js';" },
    'import cycle: a.ts -> b.ts -> c.ts -> a.ts',
  ],
  [
    'a projection does not use the code of another',
    projectionsStandAlone,
    { 'projections/rows/x.ts': "import { project } from '../dump/project.js';", 'projections/dump/project.ts': '' },
    'projections/rows/x.ts:1 must not import the code of another projection (projections/dump/project.ts)',
  ],
  [
    'the protocol and the database stay in their place',
    packagesInTheirPlace,
    { 'ops/x.ts': "import { McpServer } from '@modelcontextprotocol/server/stdio';" },
    'ops/x.ts:1 must not import @modelcontextprotocol/server: only mcp may',
  ],
  [
    'heavy packages load at first use',
    heavyPackagesLoadLate,
    { 'ops/x.ts': "import type { A } from 'minijinja-js';\nimport { S3Client } from '@aws-sdk/client-s3';" },
    'ops/x.ts:2 must load @aws-sdk/client-s3 with import() at first use',
  ],
  [
    'relative imports lead to a file of src',
    importsResolve,
    { 'a.ts': "import { b } from './b';", 'b.ts': '' },
    "a.ts:1 imports './b', which is no file of src",
  ],
  [
    'packages are declared',
    declaredIn(declared),
    { 'a.ts': "const late = await import('left-pad');" },
    'a.ts:1 imports left-pad, which package.json does not declare',
  ],
  [
    'no barrels',
    noBarrels,
    { 'index.ts': '', 'ops/index.ts': '' },
    'ops/index.ts is a barrel; import from the file that has the thing',
  ],
  [
    'files stay small',
    filesStaySmall,
    { 'a.ts': '\n'.repeat(300).concat('x') },
    'a.ts has 301 lines; 300 are the most',
  ],
  [
    'nothing is left to do',
    nothingLeftToDo,
    { 'a.ts': ['// TO', 'DO later'].join('') },
    ['a.ts:1 // TO', 'DO later'].join(''),
  ],
];

describe.each(rules)('%s', (_name, rule, breaker, complaint) => {
  test('in src', () => {
    expect(rule(source)).toEqual([]);
  });

  test('and a tree that breaks the rule is named', () => {
    expect(rule(tree(breaker))).toEqual([complaint]);
  });
});

test('the imports of a file are read as written', () => {
  const text = [
    "import a, { type B } from 'a';",
    "import type C from './c.js';",
    "import './d.js';",
    "export { e } from './e.js';",
    "export const f = 'from g';",
    "/** Not import('h'). */",
    "const i = await import('i/j');",
  ].join('\n');
  expect(sourceFile('x.ts', text).imports).toEqual([
    { specifier: 'a', kind: 'value', line: 1 },
    { specifier: './c.js', kind: 'type', line: 2 },
    { specifier: './d.js', kind: 'value', line: 3 },
    { specifier: './e.js', kind: 'value', line: 4 },
    { specifier: 'i/j', kind: 'dynamic', line: 7 },
  ]);
});

function tree(files: Record<string, string>): SourceFile[] {
  return Object.entries(files).map(([path, text]) => sourceFile(path, text));
}
