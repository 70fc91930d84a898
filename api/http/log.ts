/** The log on standard output, as lines of JSON. */
import { pino, type Logger } from 'pino';
import type { Redact } from '../../lib/redact.ts';

/** Lines wait to be written together until there are so many bytes of them, or for so long: a write for each takes longer than a free answer. */
const TOGETHER_BYTES = 8_192;
const TOGETHER_MS = 100;
/** pino's number of the level. */
const ERROR = 50;

/** The time as pino writes it, made once a millisecond. */
function timeOnce(): () => string {
  let [atMs, text] = [Number.NaN, ''];
  return () => {
    const nowMs = Date.now();
    if (nowMs !== atMs) [atMs, text] = [nowMs, `,"time":"${new Date(nowMs).toISOString()}"`];
    return text;
  };
}

/** Of an error, what its library says of itself and no more: other members hold requests with their addresses and headers. */
function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { type, message, stack, code } = pino.stdSerializers.err(error) as unknown as Readonly<Record<string, unknown>>;
  return { type, message, stack, ...(code === undefined ? {} : { code }) };
}

/** A log whose lines are written soon, all of them before the process ends; an error at once. Only a kill can lose the last moment's. */
export function logAt(level: string, redact: Redact): Logger {
  const out = pino.destination({ dest: 1, sync: false, minLength: TOGETHER_BYTES });
  setInterval(() => {
    out.flush();
  }, TOGETHER_MS).unref();
  return pino(
    {
      level,
      base: null,
      timestamp: timeOnce(),
      serializers: { err: errorFields },
      hooks: {
        logMethod(args, method, number) {
          method.apply(this, args);
          if (number >= ERROR) out.flush();
        },
      },
    },
    {
      write(line) {
        out.write(redact(line));
      },
    },
  );
}
