/** Who this server says it is. The version has one source, package.json, which the bundler copies in. */
import packageJson from '../../package.json' with { type: 'json' };

/** The version of this package. */
export const version: string = packageJson.version;

/** `serverInfo` of both protocol eras. */
export const serverInfo = {
  name: 'mini-app-mcp',
  title: 'Mini App MCP — Agent-First CRUD Store',
  version,
} as const;
