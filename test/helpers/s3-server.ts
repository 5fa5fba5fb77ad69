/** Real S3 servers for a test file: Ceph's object gateway and OpenStack Swift, where Debian's packages are installed. */
import { execFileSync } from 'node:child_process';
import dns from 'node:dns';
import { existsSync } from 'node:fs';
import { createServer, type Socket, connect as tcpConnect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, GetObjectCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { newDir, removeDir } from './temp-dir.js';

/** One make of server. */
export interface S3Make {
  /** Why its tests cannot run here; null when they can. */
  readonly missing: string | null;
  readonly script: string;
  /** Ports in a row. */
  readonly ports: number;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export const ceph: S3Make = {
  missing: ['radosgw', 'radosgw-admin', 'ceph', 'ceph-mon', 'ceph-osd', 'monmaptool'].every(isInstalled)
    ? null
    : 'skipped: no radosgw',
  script: scriptNamed('s3-server.sh'),
  ports: 2,
  accessKeyId: 'TESTACCESSKEY',
  secretAccessKey: 'TESTSECRETKEY',
};

export const swift: S3Make = {
  missing: ['swift-proxy-server', 'swift-object-server', 'swift-ring-builder'].every(isInstalled)
    ? null
    : 'skipped: no swift',
  script: scriptNamed('swift-server.sh'),
  ports: 4,
  accessKeyId: 'test:tester',
  secretAccessKey: 'testing',
};

export interface S3Server {
  readonly port: number;
  readonly endpoint: string;
  /** The settings of an upload to it. */
  readonly environment: Record<string, string>;
  readonly client: S3Client;
  stop(): void;
}

/** Starts a server with one bucket, `snapshots`. Takes some 15 s. */
export async function startS3Server(make: S3Make): Promise<S3Server> {
  const { script, accessKeyId, secretAccessKey } = make;
  const directory = join(newDir(), 's3');
  const port = await launch(make, directory).catch(() => launch(make, directory));
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  await client.send(new CreateBucketCommand({ Bucket: 'snapshots' }));
  const environment = {
    MINI_APP_S3_ENDPOINT: endpoint,
    MINI_APP_S3_BUCKET: 'snapshots',
    MINI_APP_S3_ACCESS_KEY_ID: accessKeyId,
    MINI_APP_S3_SECRET_ACCESS_KEY: secretAccessKey,
  };
  const stop = () => {
    client.destroy();
    execFileSync(script, ['stop', directory]);
    removeDir(join(directory, '..'));
  };
  return { port, endpoint, environment, client, stop };
}

/** Between finding its ports free and its taking them another program may take them: then it is started again on others. */
async function launch({ script, ports }: S3Make, directory: string): Promise<number> {
  const port = await freePorts(ports);
  execFileSync(script, ['start', directory, String(port)], { stdio: ['ignore', 'ignore', 'pipe'] });
  return port;
}

/** The bytes of an object. */
export async function objectBytes({ client }: S3Server, key: string): Promise<Buffer> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: 'snapshots', Key: key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

export async function objectSize({ client }: S3Server, key: string): Promise<number | undefined> {
  return (await client.send(new HeadObjectCommand({ Bucket: 'snapshots', Key: key }))).ContentLength;
}

/** Not every resolver knows that names below `localhost` are this machine. */
export function resolveLocalNames(): void {
  const original = dns.lookup;
  const patched = (host: string, ...rest: unknown[]) =>
    Reflect.apply(original, dns, [host.endsWith('.localhost') ? '127.0.0.1' : host, ...rest]);
  Object.assign(dns, { lookup: Object.assign(patched, original) });
}

export interface Proxy {
  readonly port: number;
  readonly connections: () => number;
  /** The start of what clients sent, as text. */
  readonly heads: string[];
  close(): void;
}

/**
 * A TCP proxy in front of a port. `pass` decides per connection, counted from 1, what happens to it: it is forwarded with
 * a delay in milliseconds per chunk, held without an answer, or closed.
 */
export async function startProxy(
  target: number,
  pass: (connection: number) => number | 'hold' | 'close',
): Promise<Proxy> {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('data', (chunk) => heads.push(chunk.toString('latin1')));
    const verdict = pass(++count);
    if (verdict === 'close') socket.destroy();
    if (typeof verdict === 'number') forward(socket, target, verdict, sockets);
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(portOf(server.address())));
  });
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port, connections: () => count, heads, close };
}

function forward(socket: Socket, target: number, delayMs: number, sockets: Set<Socket>): void {
  const upstream = tcpConnect(target, '127.0.0.1');
  sockets.add(upstream);
  upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  socket.on('close', () => upstream.destroy());
  socket.on('data', (chunk) => {
    socket.pause();
    setTimeout(() => {
      upstream.write(chunk);
      socket.resume();
    }, delayMs);
  });
  upstream.pipe(socket);
}

/** The first of some ports in a row that nobody uses now. */
async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = (await listenOnce(0)) ?? 65_535;
    const others = Array.from({ length: count - 1 }, (_, index) => first + index + 1);
    if (first < 65_000 && (await Promise.all(others.map(listenOnce))).every((port) => port !== null)) return first;
  }
}

function listenOnce(wanted: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer().on('error', () => resolve(null));
    server.listen(wanted, '127.0.0.1', () => {
      const port = portOf(server.address());
      server.close(() => resolve(port));
    });
  });
}

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)));
}

function scriptNamed(name: string): string {
  return fileURLToPath(new URL(`../../scripts/${name}`, import.meta.url));
}
