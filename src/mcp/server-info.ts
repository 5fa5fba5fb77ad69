import { version } from '../version.js';

/** Who this server says it is, in both protocol eras. */
export const serverInfo = {
  name: 'mini-app-mcp',
  title: 'Mini App MCP — Agent-First CRUD Store',
  version,
} as const;
