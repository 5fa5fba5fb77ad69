#!/usr/bin/env node
/** The least that a durable change over stdio can cost: a server of the same SDK that inserts by hand, one commit a call. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { inserter, openFloor } from './sqlite-floor.js';

const database = openFloor(process.cwd(), 'FULL');
const insert = inserter(database);
const one = database.transaction(insert);
let count = 0;

serveStdio(() => {
  const server = new McpServer({ name: 'insert', version: '1.0.0' });
  const inputSchema = z.object({ data: z.unknown().describe('The row') });
  server.registerTool('insert', { description: 'Inserts.', inputSchema }, ({ data }) => {
    one.immediate(count++);
    return { content: [{ type: 'text', text: JSON.stringify(data) }] };
  });
  return server;
});
