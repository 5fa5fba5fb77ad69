#!/usr/bin/env node
/** The tool of `catalogue-no-op-server.ts`, with the same texts, schemas and answer, on the SDK alone. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'no-op', version: '1.0.0' });
  const definition = {
    title: 'Nothing',
    description: 'Does nothing.',
    inputSchema: z.object({ text: z.string().describe('Anything') }),
    outputSchema: z.object({ value: z.null() }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };
  server.registerTool('no_op', definition, () => {
    const structuredContent = { value: null };
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent, isError: false };
  });
  return server;
});
