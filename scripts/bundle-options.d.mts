import type { BuildOptions } from 'esbuild';

export declare const external: readonly string[];
export declare function bundleOptions(entryPoints: Record<string, string>, outdir: string): BuildOptions;
