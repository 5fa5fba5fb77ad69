#!/usr/bin/env node
/** The least that a call can cost: a server of the same SDK with one tool that does nothing. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'no-op', version: '1.0.0' });
  const inputSchema = z.object({ text: z.string().describe('Anything') });
  server.registerTool('no_op', { description: 'Does nothing.', inputSchema }, () => ({
    content: [{ type: 'text', text: 'null' }],
  }));
  return server;
});
