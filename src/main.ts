#!/usr/bin/env node
/** The composition root: what the program does is chosen here, and only that is loaded. */
if (process.argv.includes('--mcp')) {
  const { serveStdio } = await import('./cli/serve-stdio.js');
  await serveStdio();
}
