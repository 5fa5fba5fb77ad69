/** What the figures need of a client, whatever its transport; every answer that is an error is thrown. */
export interface ToolClient {
  request(method: string, params: unknown): Promise<unknown>;
  /** The result of a tool. @throws Error when the tool answers `isError`. */
  call(name: string, args: unknown): Promise<unknown>;
  close(): Promise<void>;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** The result of a JSON-RPC answer. @throws Error with the message of an error. */
export function answerOf(answer: Answer): unknown {
  if (answer.error !== undefined) throw new Error(answer.error.message);
  return answer.result;
}

/** @throws Error when the tool answered `isError`. */
export function toolResult(name: string, result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('isError' in result) || result.isError !== true) return result;
  throw new Error(`${name}: ${JSON.stringify(result)}`);
}

/** The first text block of a tool's result. */
export function textOf(result: unknown): string {
  const { content } = result as { content?: readonly { readonly text?: string }[] };
  return content?.[0]?.text ?? '';
}
