/** The server log: lines of JSON, without secrets. */
import { pino, type Logger } from 'pino';
import type { Redact } from '../../lib/redact.ts';

/** Lines are buffered up to this size and time: one write per line takes longer than a free response. */
const BUFFER_BYTES = 8_192;
const FLUSH_MS = 100;
/** pino's level of an error. */
const ERROR_LEVEL = 50;

/** The timestamp in pino's format, cached for its millisecond. */
function cachedTimestamp(): () => string {
  let [atMs, text] = [Number.NaN, ''];
  return () => {
    const nowMs = Date.now();
    if (nowMs !== atMs) [atMs, text] = [nowMs, `,"time":"${new Date(nowMs).toISOString()}"`];
    return text;
  };
}

/** Type, message, stack and code of an error. Its other members may hold requests with their URLs and headers. */
function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { type, message, stack, code } = pino.stdSerializers.err(error) as unknown as Readonly<Record<string, unknown>>;
  return { type, message, stack, ...(code === undefined ? {} : { code }) };
}

export type Log = Logger;

export interface LogDestination {
  write(line: string): void;
  flush(): void;
}

/** Standard output, buffered and flushed on exit. Only a kill loses lines: those of the last 100 ms. */
export function bufferedStdout(): LogDestination {
  const out = pino.destination({ dest: 1, sync: false, minLength: BUFFER_BYTES });
  setInterval(() => {
    out.flush();
  }, FLUSH_MS).unref();
  return out;
}

/** A log that flushes at every error. */
export function createLog(level: string, redact: Redact, destination: LogDestination): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: cachedTimestamp(),
      serializers: { err: errorFields },
      hooks: {
        logMethod(args, method, number) {
          method.apply(this, args);
          if (number >= ERROR_LEVEL) destination.flush();
        },
      },
    },
    {
      write(line) {
        destination.write(redact(line));
      },
    },
  );
}
