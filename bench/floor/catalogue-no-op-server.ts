#!/usr/bin/env node
/** A tool that does nothing, published by a catalogue and served by the product's own transport. */
import { z } from 'zod';
import { Catalogue } from '../../src/mcp/catalogue.js';
import { Contract, ServiceKey, Services } from '../../src/mcp/contract.js';
import { createLogger } from '../../src/mcp/log.js';
import { Projection } from '../../src/mcp/projection.js';
import { serveMcpOverStdio } from '../../src/mcp/serve-stdio.js';
import { guardStdout } from '../../src/mcp/stdout-guard.js';

const key = new ServiceKey<null>('bench/nothing');
const noOp = Contract.operation('bench/NoOp', 1, {
  payload: z.object({ text: z.string().describe('Anything') }),
  success: z.null(),
}).annotate(Projection.Annotation, {
  name: 'no_op',
  title: 'Nothing',
  description: 'Does nothing.',
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
  output: 'json',
});

const output = guardStdout();
const catalogue = new Catalogue(new Services().provide(key, null), createLogger());
await catalogue.offer('bench/no-op', [Projection.operation(key, noOp, () => null)]);
serveMcpOverStdio({ catalogue, instructions: '', input: process.stdin, output, onClose: () => process.exit(0) });
