/** Random interleavings of callers on one endpoint: each gets its own answers and nobody else's. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, ask, callOf, initialize, modern, startServer, type TestServer } from '../helpers/http-server.js';
import { propertyRuns } from '../helpers/property-runs.js';
import { newDir, removeDir } from '../helpers/temp-dir.js';

let directory: string;
let server: TestServer;

beforeAll(async () => {
  directory = newDir();
  server = await startServer(directory);
});

afterAll(async () => {
  await server.close();
  removeDir(directory);
});

const callers = 4;
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('call' as const), who: fc.nat(callers - 1), ms: fc.nat(8) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('whoami' as const), who: fc.nat(callers - 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), who: fc.nat(callers - 1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(5) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The first callers have a session each, the last one speaks the 2026 era, the one before it sends no session id. */
class Caller {
  #session: string | undefined;
  #next = 0;

  constructor(
    readonly who: number,
    private readonly port: number,
  ) {}

  get name(): string {
    return `caller ${this.who}`;
  }

  /** Ids are the same for every caller, so that a mix-up could happen. */
  async ask(tool: string, args: Record<string, unknown>) {
    const id = this.#next++;
    if (this.who === callers - 1) {
      const request = modern(id, 'tools/call', { name: tool, arguments: args });
      return { id, answer: await ask(this.port, request) };
    }
    const headers = await this.#headers();
    return { id, answer: await ask(this.port, { headers, body: callOf(id, tool, args) }) };
  }

  async end(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    if (session !== undefined) await ask(this.port, { method: 'DELETE', headers: { 'Mcp-Session-Id': session } });
  }

  async #headers(): Promise<Record<string, string>> {
    if (this.who === callers - 2) return {};
    this.#session ??= await this.#open();
    return { 'Mcp-Session-Id': this.#session };
  }

  async #open(): Promise<string> {
    const params = { ...initialize.params, clientInfo: { name: this.name, version: '1' } };
    return String((await ask(this.port, { body: { ...initialize, params } })).headers['mcp-session-id']);
  }
}

const expectedActor = (who: number) => ['caller 0', 'caller 1', 'unknown', 'modern-client'][who];

it('never mixes two callers, whatever is swept or ended in between', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const all = Array.from({ length: callers }, (_, who) => new Caller(who, server.address.port));
      const pending: Promise<void>[] = [];
      const ended = new Set<number>();
      const take = async (next: Step): Promise<void> => {
        if (next.do === 'sweep') return server.sessions.sweep(-1_000);
        if (next.do === 'wait') return new Promise((resolve) => setTimeout(resolve, next.ms));
        const caller = all[next.who];
        if (caller === undefined) return;
        if (next.do === 'end') {
          ended.add(next.who);
          pending.push(caller.end());
        } else if (next.do === 'call') pending.push(check(caller, next.ms, ended));
        else pending.push(introduce(caller, ended));
      };
      for (const next of steps) await take(next);
      await Promise.all(pending);
      answered += pending.length;
      await Promise.all(all.map((caller) => caller.end()));
    }),
    propertyRuns(25),
  );
  expect(answered).toBeGreaterThan(0);
});

async function check(caller: Caller, ms: number, ended: ReadonlySet<number>): Promise<void> {
  const text = `${caller.name} ${ms} ${Math.random()}`;
  const { id, answer } = await caller.ask('echo', { text });
  if (isGone(answer, caller.who, ended)) return;
  expect(answer.json.id).toBe(id);
  expect(answer.json.result.structuredContent.value).toEqual({ text });
}

async function introduce(caller: Caller, ended: ReadonlySet<number>): Promise<void> {
  const { answer } = await caller.ask('whoami', {});
  if (isGone(answer, caller.who, ended)) return;
  expect(answer.json.result.structuredContent.value.actor).toBe(expectedActor(caller.who));
}

/** Only who ended a session may find it gone, with a call that was under way. */
function isGone({ status, json }: Answer, who: number, ended: ReadonlySet<number>): boolean {
  if (status === 200 && json.error === undefined) return false;
  expect(json.error.code).toBe(-32001);
  expect(ended).toContain(who);
  return true;
}
