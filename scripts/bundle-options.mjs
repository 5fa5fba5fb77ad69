/** How everything that ships is bundled. The benchmark's peers use the same options, so that start-up compares fairly. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packageFile = fileURLToPath(new URL('../package.json', import.meta.url));

/** Native code, and heavy packages that only some calls need: resolved from node_modules at run time. */
export const external = ['better-sqlite3', '@mongodb-js/zstd', 'minijinja-js', '@aws-sdk/*'];

/**
 * These offer Node their CommonJS build, which a bundle takes whole and evaluates at start: their ES modules are the same
 * code, save a third of a megabyte and about 30 ms of every start, and can be loaded with `import()`.
 */
const esModules = {
  rxjs: moduleOf('rxjs', 'dist/esm/index.js'),
  yaml: moduleOf('yaml', 'browser/index.js'),
};

/**
 * Bundled CommonJS packages call `require` for Node's own modules; an ES module has none. The names are long so that
 * they meet no name of the bundle.
 */
const requireForCommonJs =
  "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);";

/** The options of one bundle: entry names to source files, written to a directory. */
export function bundleOptions(entryPoints, outdir) {
  return {
    entryPoints,
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    // Names stay, for the log's stack traces; what is only read by people would be compiled at every start.
    minifyWhitespace: true,
    minifySyntax: true,
    external,
    banner: { js: requireForCommonJs },
    plugins: [preferEsModules, englishOnly, versionOnly],
    logLevel: 'warning',
  };
}

function moduleOf(name, file) {
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), file);
}

const preferEsModules = {
  name: 'prefer-es-modules',
  setup(build) {
    build.onResolve({ filter: /^(rxjs|yaml)$/ }, ({ path }) => ({ path: esModules[path] }));
  },
};

/** zod brings its messages in fifty languages, a third of a megabyte; ours are English. */
const englishOnly = {
  name: 'english-only',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      loader: 'js',
    }));
  },
};

/** `src/version.ts` imports package.json; the bundle needs one member of it. */
const versionOnly = {
  name: 'version-only',
  setup(build) {
    build.onLoad({ filter: /[\\/]package\.json$/ }, ({ path }) => {
      if (path !== packageFile) return undefined;
      const { version } = JSON.parse(readFileSync(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};
