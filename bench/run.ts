/** `npm run bench -- [NAME ...]` measures the figures whose names start so, or all; `-- --list` lists them. */
import { mkdirSync, readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Figure, type Row, Unavailable } from './figure.js';
import { measure, workRoot } from './measure.js';
import { table } from './table.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const names = process.argv.slice(2);

const figures = await findFigures();
if (names.includes('--list')) console.log(figures.map((figure) => figure.name).join('\n'));
else await run(chosen(figures));

async function run(chosenFigures: readonly Figure[]): Promise<void> {
  const rows: Row[] = [];
  const skipped: string[] = [];
  for (const figure of chosenFigures) {
    const start = performance.now();
    process.stderr.write(`${figure.name} ...`);
    try {
      rows.push(...(await measure(figure)));
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      skipped.push(`${figure.name} was skipped: ${error.message}`);
    }
    process.stderr.write(` ${((performance.now() - start) / 1_000).toFixed(1)} s\n`);
  }
  console.log([table(rows), ...skipped].join('\n'));
  save(rows, skipped);
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
function save(rows: readonly Row[], skipped: readonly string[]): void {
  const machine = {
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    fileSystem: `0x${statfsSync(workRoot).type.toString(16)}`,
  };
  const folder = join(here, 'results');
  mkdirSync(folder, { recursive: true });
  const at = new Date().toISOString();
  const file = join(folder, `${at.replaceAll(':', '-')}.json`);
  writeFileSync(file, `${JSON.stringify({ at, machine, rows, skipped }, null, 2)}\n`);
}
