/** A server on a free port of this machine, and requests to it that say exactly what they are told to. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Catalogue } from '../../src/mcp/catalogue.js';
import { Services } from '../../src/mcp/contract.js';
import { type HttpOptions, type RunningHttp, serveMcpOverHttp } from '../../src/mcp/http/serve-http.js';
import { createLogger } from '../../src/mcp/log.js';
import { PluginHost } from '../../src/mcp/plugins/plugin-host.js';
import { ResourceFeature } from '../../src/mcp/resources/resource-feature.js';
import { offerCoreTools } from '../../src/mcp/tools/index.js';
import { storeKey } from '../../src/mcp/tools/store-key.js';
import { loadConfig } from '../../src/tables/config.js';
import { TableRegistry } from '../../src/tables/registry.js';
import { type Demo, demoKey, demoTools } from './demo-view.js';

export const issuesSchema = `table: issues
title: Issues
fields:
  - { name: title, type: string, required: true }
  - { name: points, type: number }
`;

/** A directory with one table, `issues`. */
export function writeIssues(directory: string): void {
  mkdirSync(join(directory, 'user', 'issues'), { recursive: true });
  writeFileSync(join(directory, 'user', 'issues', 'schema.yaml'), issuesSchema);
}

export interface TestServer extends RunningHttp {
  readonly registry: TableRegistry;
  readonly catalogue: Catalogue;
  readonly demo: Demo;
  readonly url: string;
  /** What was logged. */
  readonly lines: string[];
  close(): Promise<void>;
}

/** The built-in tools and the demo view over the tables of a directory. */
export async function startServer(directory: string, options: Partial<HttpOptions> = {}): Promise<TestServer> {
  const environment = { MINI_APP_USER_DIR: join(directory, 'user'), MINI_APP_PROJECT_DIR: join(directory, 'project') };
  const config = loadConfig(environment, directory);
  const registry = TableRegistry.mount({ config, session: 's', now: Date.now, log: () => undefined });
  const store = { registry, now: Date.now, newId: randomUUID };
  const demo: Demo = { events: [] };
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', write: (line) => void lines.push(line) });
  const catalogue = new Catalogue(new Services().provide(storeKey, store).provide(demoKey, demo), log);
  await offerCoreTools(new PluginHost(catalogue));
  await catalogue.offer('test/demo', demoTools, { text: 'bare' });
  const running = await serveMcpOverHttp({
    catalogue,
    instructions: 'Test.',
    bind: { host: '127.0.0.1', port: 0 },
    token: null,
    resources: new ResourceFeature({ registry, catalogue }),
    ...options,
  });
  return {
    ...running,
    registry,
    catalogue,
    demo,
    lines,
    url: `http://127.0.0.1:${running.address.port}/mcp`,
    async close() {
      await running.stop('test');
      await registry.close();
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The JSON body, or that of the last event of a stream. */
  readonly json: Json;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of unknown shape
type Json = any;

export interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | readonly string[]>;
  /** An object is sent as JSON. */
  readonly body?: unknown;
}

const usual = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

/** One request, with exactly these headers beside the usual ones; an empty text leaves a usual one out. */
export function ask(port: number, { method = 'POST', path = '/mcp', headers = {}, body }: Ask): Promise<Answer> {
  const chosen = Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== '');
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method, path, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: jsonOf(text) });
      });
    });
    sent.on('error', reject);
    for (const [name, value] of chosen) sent.setHeader(name, value);
    if (headers.Host === '') sent.removeHeader('Host');
    sent.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}

export function rpc(id: number | string, method: string, params: Record<string, unknown> = {}) {
  return { jsonrpc: '2.0', id, method, params };
}

export function callOf(id: number | string, name: string, args: Record<string, unknown> = {}) {
  return rpc(id, 'tools/call', { name, arguments: args });
}

export const initialize = rpc('init', 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'raw-client', version: '9' },
});

/** A request of the 2026 era with the headers it needs. */
export function modern(id: number | string, method: string, params: Record<string, unknown> = {}): Ask {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'modern-client', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const name = typeof params.name === 'string' ? params.name : params.uri;
  return {
    headers: {
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
    },
    body: rpc(id, method, { ...params, _meta: meta }),
  };
}

/** The 1.x SDK's client; `headers` go with every request. */
export async function connect(url: string, name: string, headers: Record<string, string> = {}) {
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  const client = new Client({ name, version: '1.2.3' });
  await client.connect(transport);
  return { client, transport };
}

function jsonOf(text: string): Json {
  const events = text.split('\n').filter((line) => line.startsWith('data: '));
  try {
    return JSON.parse(events.at(-1)?.slice('data: '.length) ?? text);
  } catch {
    return undefined;
  }
}
