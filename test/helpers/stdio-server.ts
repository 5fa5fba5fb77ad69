/** A server process for the wire tests: the product's stdio mode over a small view. */
import { setTimeout as delay } from 'node:timers/promises';
import { Catalogue } from '../../src/mcp/catalogue.js';
import { Services } from '../../src/mcp/contract.js';
import { serverInstructions } from '../../src/mcp/instructions.js';
import { createLogger } from '../../src/mcp/log.js';
import { runStdioProcess } from '../../src/mcp/stdio-process.js';
import { guardStdout } from '../../src/mcp/stdout-guard.js';
import { demoKey, demoTools } from './demo-view.js';

const output = guardStdout();
console.log('a stray line that must not reach the client');
const log = createLogger({ level: 'debug' });
const catalogue = new Catalogue(new Services().provide(demoKey, { events: [] }), log);
await catalogue.offer('test/demo', demoTools, { text: 'bare' });
// Something that would keep the process alive, as a server's timers do.
setInterval(() => undefined, 1_000);
await runStdioProcess({
  catalogue,
  instructions: serverInstructions,
  output,
  actor: process.env.MINI_APP_ACTOR,
  async shutdown() {
    await delay(10);
    process.stderr.write('shut down\n');
  },
});
