/** What the module resolver of plugins and those who register it agree on. */

/** In front of a package's name: to be looked for where the server is installed. */
export const packagePrefix = 'mini-app-mcp-package:';

/** What the resolver is told when it is registered. */
export interface ResolverData {
  /**
   * The URL of this program's plugin surface. From there packages are looked for too, and `zod` and `rxjs` where the
   * plugin has none of its own.
   */
  readonly surface: string;
  /** In front of the name of such a package. */
  readonly packagePrefix: string;
}
