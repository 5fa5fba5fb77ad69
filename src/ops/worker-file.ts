/** Where the files of `src/workers` are: built ones beside the program, else the source with a loader for TypeScript. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

export interface WorkerFile {
  readonly url: URL;
  /** Runs from source: Node needs a loader, which neither threads nor processes inherit. */
  readonly isSource: boolean;
}

/** @param name a file of `src/workers`, without its ending. */
export function workerFile(name: string): WorkerFile {
  // In the bundle a worker stands in `workers` beside the entries, one up from the chunks.
  const places = [`../workers/${name}.js`, `./workers/${name}.js`].map((path) => new URL(path, import.meta.url));
  const built = places.find((url) => existsSync(fileURLToPath(url)));
  if (built !== undefined) return { url: built, isSource: false };
  return { url: new URL(`../workers/${name}.ts`, import.meta.url), isSource: true };
}

/** What Node is started with so that it reads TypeScript, wherever its working directory is. */
export function sourceLoader(): string[] {
  return ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href];
}
