/** A plugin in a thread of its own. */
import { servePlugin } from '../mcp/plugins/remote/serve-plugin.js';

await servePlugin();
