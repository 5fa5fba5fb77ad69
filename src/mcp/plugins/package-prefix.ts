/** What the module resolver of plugins and those who register it agree on; it is loaded on Node's thread for hooks. */

/** In front of a package's name: to be looked for where the server is installed. */
export const packagePrefix = 'mini-app-mcp-package:';

/** What the resolver is told when it is registered. URLs. */
export interface ResolverData {
  /** This program's plugin surface. */
  readonly surface: string;
  /** Packages are looked for from here; `zod` and `rxjs` too, where the plugin has none of its own. */
  readonly fallback: string;
}
