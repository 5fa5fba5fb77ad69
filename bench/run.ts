/** `npm run bench -- [NAME ...]` measures the figures whose names start so, or all; `-- --list` lists them. */
import { mkdirSync, readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Figure, Row } from './figure.js';
import { measure, workRoot } from './measure.js';
import { table } from './table.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const names = process.argv.slice(2);

const figures = await findFigures();
if (names.includes('--list')) console.log(figures.map((figure) => figure.name).join('\n'));
else await run(chosen(figures));

async function run(chosenFigures: readonly Figure[]): Promise<void> {
  const rows: Row[] = [];
  for (const figure of chosenFigures) {
    process.stderr.write(`${figure.name} ...\n`);
    rows.push(...(await measure(figure)));
  }
  console.log(table(rows));
  save(rows);
  if (rows.some((row) => !row.withinLimit)) process.exitCode = 1;
}

function chosen(all: readonly Figure[]): readonly Figure[] {
  const found = names.length === 0 ? all : all.filter(({ name }) => names.some((asked) => name.startsWith(asked)));
  if (found.length > 0) return found;
  throw new Error(`no figure is called ${names.join(', ')}; there are: ${all.map(({ name }) => name).join(', ')}`);
}

async function findFigures(): Promise<Figure[]> {
  const folder = join(here, 'figures');
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  const modules = await Promise.all(
    files.map(async (file) => (await import(pathToFileURL(join(folder, file)).href)) as { figures: Figure[] }),
  );
  return modules.flatMap((module) => module.figures).sort((a, b) => a.name.localeCompare(b.name));
}

/** The medians with what they depend on, as one JSON file per run. */
function save(rows: readonly Row[]): void {
  const machine = {
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    fileSystem: `0x${statfsSync(workRoot).type.toString(16)}`,
  };
  const folder = join(here, 'results');
  mkdirSync(folder, { recursive: true });
  const at = new Date().toISOString();
  writeFileSync(join(folder, `${at.replaceAll(':', '-')}.json`), `${JSON.stringify({ at, machine, rows }, null, 2)}\n`);
}
