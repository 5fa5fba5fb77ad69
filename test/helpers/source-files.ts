import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';

/** One import of a source file. `kind` is `type` for what is gone after compilation, `dynamic` for `import()`. */
export interface Import {
  readonly specifier: string;
  readonly kind: 'value' | 'type' | 'dynamic';
  readonly line: number;
}

/** A source file with its path relative to the folder read, `/` between the parts. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

/** Every TypeScript file below a folder, sorted by path. */
export function readSourceFiles(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => sourceFile(relative(folder, file).split(sep).join('/'), readFileSync(file, 'utf8')));
}

export function sourceFile(path: string, text: string): SourceFile {
  return { path, text, imports: [...statementsOf(text), ...dynamicImportsOf(text)] };
}

/** The path that a relative import leads to, as a path like {@link SourceFile.path}; null for a package. */
export function importedPath(from: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  return posix.normalize(posix.join(posix.dirname(from), specifier)).replace(/\.js$/, '.ts');
}

/** The package that a bare specifier names: `@a/b` of `@a/b/c`, `d` of `d/e`. */
export function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** `import … from 'x'`, `export … from 'x'` and `import 'x'`, which biome keeps at the start of a line. */
const statement = /^(?:import|export)\b(\s+type\b)?(?:[^'"();]*?\bfrom)?\s*['"]([^'"]+)['"]/gm;
const dynamicImport = /\bimport\(\s*['"]([^'"]+)['"]/g;
const comment = /\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

function statementsOf(text: string): Import[] {
  return [...text.matchAll(statement)].map((match) => ({
    specifier: match[2] ?? '',
    kind: match[1] === undefined ? 'value' : 'type',
    line: lineAt(text, match.index),
  }));
}

/** `import('x')` as an expression loads at run time; as the type of something (`: import('x').Y`) it counts as well. */
function dynamicImportsOf(text: string): Import[] {
  const code = text.replace(comment, (found) => found.replace(/[^\n]/g, ' '));
  return [...code.matchAll(dynamicImport)].map((match) => ({
    specifier: match[1] ?? '',
    kind: 'dynamic',
    line: lineAt(text, match.index),
  }));
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
