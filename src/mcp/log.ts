/** A structured log on stderr: one line per entry. Nothing here ever writes to stdout, which belongs to the protocol. */
import { inspect } from 'node:util';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogFields = Readonly<Record<string, unknown>>;

/** Where log lines go, and from which level on. `colour` is for a terminal only. */
export interface LogOptions {
  readonly level?: LogLevel;
  readonly colour?: boolean;
  readonly write?: (line: string) => void;
  readonly now?: () => Date;
}

export interface Logger {
  /** Whether debug entries are written: for what is dear to describe. */
  readonly isDebug: boolean;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** A logger that writes `<time> <LEVEL> <message> <fields as JSON>`; an `Error` among the fields is shown with its causes. */
export function createLogger(options: LogOptions = {}): Logger {
  const least = logLevels.indexOf(options.level ?? 'info');
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  const now = options.now ?? (() => new Date());
  const colour = options.colour ?? process.stderr.isTTY === true;
  const entry =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (logLevels.indexOf(level) < least) return;
      write(`${now().toISOString()} ${labelOf(level, colour)} ${message}${textOf(fields)}\n`);
    };
  return {
    isDebug: least === 0,
    debug: entry('debug'),
    info: entry('info'),
    warn: entry('warn'),
    error: entry('error'),
  };
}

const colours: Record<LogLevel, string> = { debug: '90', info: '36', warn: '33', error: '31' };

function labelOf(level: LogLevel, colour: boolean): string {
  const label = level.toUpperCase();
  return colour ? `\u001b[${colours[level]}m${label}\u001b[0m` : label;
}

function textOf(fields: LogFields): string {
  if (Object.keys(fields).length === 0) return '';
  const entries = Object.entries(fields).flatMap(([name, value]) => {
    const text = valueText(value);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return ` {${entries.join()}}`;
}

/** Whatever was thrown is shown, JSON or not: it may be all that is known of an incident. */
function valueText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_key, inner: unknown) => (inner instanceof Error ? describeError(inner) : inner));
  } catch {
    return inspected(value);
  }
}

/** What cannot even be looked at, because looking throws, is no reason to lose the line. */
function inspected(value: unknown): string {
  try {
    return JSON.stringify(inspect(value, { depth: 4, breakLength: Number.POSITIVE_INFINITY }));
  } catch {
    return '"a value that cannot be shown"';
  }
}

/** In UTF-16 units: a message may hold megabytes of what somebody sent. */
const mostShown = 16_384;

function bounded(text: unknown): unknown {
  if (typeof text !== 'string' || text.length <= mostShown) return text;
  return `${text.slice(0, mostShown)}… (${text.length} characters)`;
}

/** The whole chain of causes, bounded because a cause may point back at its error. */
function describeError(error: Error, depth = 0): Record<string, unknown> {
  const { name, message, stack } = error;
  const shown: Record<string, unknown> = { name, message: bounded(message), stack: bounded(stack) };
  if (error.cause !== undefined && depth < 8) {
    shown.cause = error.cause instanceof Error ? describeError(error.cause, depth + 1) : String(error.cause);
  }
  if (error instanceof AggregateError && depth < 8) {
    shown.errors = error.errors.map((each: unknown) =>
      each instanceof Error ? describeError(each, depth + 1) : inspect(each, { depth: 4 }),
    );
  }
  return shown;
}
