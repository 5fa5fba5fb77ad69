/** Several processes that do the same thing at the same moment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Starts the processes, lets all of them go at once, answers with what each said. @throws Error with stderr if one fails. */
export async function race(script: string, args: readonly string[], processes: number): Promise<unknown[]> {
  const runners = await Promise.all(Array.from({ length: processes }, () => started(script, args)));
  for (const runner of runners) runner.go();
  return Promise.all(runners.map((runner) => runner.ended()));
}

async function started(script: string, args: readonly string[]) {
  const child = spawn(process.execPath, [script, ...args]);
  const said: string[] = [];
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => said.push(line));
  await once(lines, 'line');
  return {
    go: () => child.stdin.write('go\n'),
    ended: async (): Promise<unknown> => {
      const [code] = await closed;
      if (code !== 0) throw new Error(stderr);
      return JSON.parse(said.at(-1) ?? '');
    },
  };
}
