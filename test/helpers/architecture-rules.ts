/** The rules of how `src` hangs together. Each one takes the source files and says in a line what breaks it. */
import { importedPath, packageOf, type SourceFile } from './source-files.js';

export type Rule = (files: readonly SourceFile[]) => string[];

const maxLines = 300;

/** Who may import whom: a part imports parts of a smaller number and itself. */
const ranks: Readonly<Record<string, number>> = {
  errors: 0,
  version: 0,
  schema: 1,
  events: 2,
  projections: 3,
  tables: 4,
  ops: 5,
  mcp: 6,
};
/** The command, the library, the plugin author's surface, workers: they put the parts together. */
const top = 7;

/** `errors <- schema <- events <- projections <- tables <- ops <- mcp <- main`; tables may name types of ops. */
export const direction: Rule = (files) =>
  internalImports(files).flatMap(({ file, line, kind, target }) => {
    if (target.startsWith('../')) return [];
    const [from, to] = [partOf(file.path), partOf(target)];
    const allowed = rankOf(to) <= rankOf(from) || (from === 'tables' && to === 'ops' && kind === 'type');
    return allowed ? [] : [`${file.path}:${line} is part of '${from}' and must not import '${to}' (${target})`];
  });

/** No file reaches itself through its imports, type imports included. Names the shortest circle of each start. */
export const noCycles: Rule = (files) => {
  const graph = new Map<string, Set<string>>(files.map((file) => [file.path, new Set<string>()]));
  for (const { file, target, kind } of internalImports(files))
    if (kind !== 'dynamic') graph.get(file.path)?.add(target);
  const circles = new Map<string, string[]>();
  for (const start of graph.keys()) {
    const circle = shortestCircle(graph, start);
    const key = circle === null ? '' : [...circle].sort().join();
    if (circle !== null && !circles.has(key)) circles.set(key, circle);
  }
  return [...circles.values()].map((circle) => `import cycle: ${[...circle, circle[0]].join(' -> ')}`);
};

/** What one projection does to its tables is its own affair; what they share stands beside them. */
export const projectionsStandAlone: Rule = (files) =>
  internalImports(files).flatMap(({ file, line, target }) => {
    const foreign = /^projections\/([^/]+)\/project\.ts$/.exec(target);
    const own = /^projections\/([^/]+)\//.exec(file.path);
    if (foreign === null || own === null || own[1] === foreign[1]) return [];
    return [`${file.path}:${line} must not import the code of another projection (${target})`];
  });

/** Packages that only some parts may touch. */
export const packagesInTheirPlace: Rule = (files) =>
  packageImports(files).flatMap(({ file, line, name }) => {
    const folders = homeOf(name);
    if (folders === null || folders.includes(partOf(file.path))) return [];
    return [`${file.path}:${line} must not import ${name}: only ${folders.join(', ')} may`];
  });

/** Heavy packages load at first use; their types cost nothing. */
export const heavyPackagesLoadLate: Rule = (files) =>
  packageImports(files)
    .filter(({ name, kind }) => kind === 'value' && (name.startsWith('@aws-sdk/') || heavy.has(name)))
    .map(({ file, line, name }) => `${file.path}:${line} must load ${name} with import() at first use`);

/** Relative imports name the compiled file and stay inside `src`; `version.ts` reads package.json. */
export const importsResolve: Rule = (files) => {
  const known = new Set(files.map((file) => file.path));
  return internalImports(files)
    .filter(({ file, target }) => !known.has(target) && !(file.path === 'version.ts' && target === '../package.json'))
    .map(({ file, line, specifier }) => `${file.path}:${line} imports '${specifier}', which is no file of src`);
};

export const noBarrels: Rule = (files) =>
  files
    .filter(({ path }) => /(^|\/)index\.ts$/.test(path) && path !== 'index.ts' && path !== 'mcp/tools/index.ts')
    .map(({ path }) => `${path} is a barrel; import from the file that has the thing`);

export const filesStaySmall: Rule = (files) =>
  files
    .filter(({ path }) => path !== 'events/migrations.ts')
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > maxLines)
    .map(({ path, lines }) => `${path} has ${lines} lines; ${maxLines} are the most`);

export const nothingLeftToDo: Rule = (files) =>
  files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) => (/\b(TODO|FIXME|XXX)\b/.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
  );

/** Every package that `src` imports is declared for those who install this one. */
export function declaredIn(declared: ReadonlySet<string>): Rule {
  return (files) =>
    packageImports(files)
      .filter(({ name }) => !name.startsWith('node:') && !declared.has(name))
      .map(({ file, line, name }) => `${file.path}:${line} imports ${name}, which package.json does not declare`);
}

const heavy = new Set(['minijinja-js', '@mongodb-js/zstd']);

function homeOf(name: string): readonly string[] | null {
  if (name.startsWith('@modelcontextprotocol/')) return ['mcp'];
  if (name === 'better-sqlite3') return ['events', 'projections', 'tables', 'ops', 'workers'];
  return null;
}

function partOf(path: string): string {
  return path.split('/')[0]?.replace(/\.ts$/, '') ?? path;
}

function rankOf(part: string): number {
  return ranks[part] ?? top;
}

function internalImports(files: readonly SourceFile[]) {
  return files.flatMap((file) =>
    file.imports.flatMap((found) => {
      const target = importedPath(file.path, found.specifier);
      return target === null ? [] : [{ ...found, file, target }];
    }),
  );
}

function packageImports(files: readonly SourceFile[]) {
  return files.flatMap((file) =>
    file.imports
      .filter(({ specifier }) => !specifier.startsWith('.'))
      .map((found) => ({ ...found, file, name: packageOf(found.specifier) })),
  );
}

function shortestCircle(graph: ReadonlyMap<string, ReadonlySet<string>>, start: string): string[] | null {
  const cameFrom = new Map<string, string>();
  let edge = [start];
  while (edge.length > 0) {
    const next: string[] = [];
    for (const from of edge) {
      for (const to of graph.get(from) ?? []) {
        if (to === start) return pathTo(from, cameFrom);
        if (cameFrom.has(to)) continue;
        cameFrom.set(to, from);
        next.push(to);
      }
    }
    edge = next;
  }
  return null;
}

function pathTo(end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path: string[] = [];
  for (let at: string | undefined = end; at !== undefined; at = cameFrom.get(at)) path.unshift(at);
  return path;
}
