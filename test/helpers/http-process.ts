/** A server process for the tests: `--mcp-http` as the command runs it. */
import { serveHttp } from '../../src/cli/serve-http.js';

process.exitCode = await serveHttp(process.argv.slice(2));
