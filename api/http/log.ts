/** The server log, without secrets: lines of JSON, or of text on a terminal. */
import { pino, type Logger } from 'pino';
import type { Redact } from '../../lib/redact.ts';
import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import { stateOf } from './request_state.ts';

/** Lines are buffered up to this size and time: one write per line takes longer than a free response. */
const BUFFER_BYTES = 8_192;
const FLUSH_MS = 100;
/** pino's level of an error. */
const ERROR_LEVEL = 50;

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

/** Members that every line on a terminal shows by position or not at all. */
const BY_POSITION = new Set(['level', 'time', 'msg', 'request_id', 'method', 'path', 'query', 'route', 'status', 'ms']);

/** A line of the log as text: time, then the request with its status and time, or the event, then what is special. */
export function readableLine(line: string): string {
  const entry = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const { time, level, msg, method, path, query, status, ms } = entry;
  const text = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
  const address = `${text(path)}${query === '' ? '' : `?${text(query)}`}`;
  const request = `${text(status)} ${text(method)} ${address} ${text(ms)} ms`;
  const others = Object.entries(entry)
    .filter(([name]) => !BY_POSITION.has(name))
    .map(([name, value]) => `${name}=${text(value)}`);
  const what = msg === 'request' ? request : [msg, ...(method === undefined ? [] : [request])].map(text).join(': ');
  const failed = Number(level) >= ERROR_LEVEL ? 'ERROR ' : '';
  return `${[text(time).slice(11, 19), `${failed}${what}`, ...others].join('  ')}\n`;
}

/** Standard output, buffered and flushed on exit. Only a kill loses lines: those of the last 100 ms. */
export function bufferedStdout(): LogDestination {
  if (process.stdout.isTTY)
    return { write: (line) => process.stdout.write(readableLine(line)), flush: () => undefined };
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
      timestamp: pino.stdTimeFunctions.isoTime,
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

export interface RequestLog {
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
  readonly route?: string | undefined;
  readonly query: string;
  readonly status: number;
  readonly ms: number;
  readonly snapshot_id?: string | undefined;
  readonly reason?: string | undefined;
  readonly charged?: string | undefined;
  readonly payer?: string | undefined;
  readonly transaction?: string | undefined;
  readonly receipt_id?: string | undefined;
  readonly error?: unknown;
  /** Fields by which an operator finds a settlement of unknown outcome on the chain. */
  readonly unresolved?: Readonly<Record<string, string>> | undefined;
}

/** Give each request an id, and log it once its response is complete. */
export const logRequests =
  (log: (entry: RequestLog) => void): Middleware =>
  async (ctx, next) => {
    const started = performance.now();
    const state = stateOf(ctx);
    state.requestId = randomUUID();
    ctx.set('X-Request-Id', state.requestId);
    await next();
    const { route, snapshotId, reason, settlement, error, unresolved } = state;
    log({
      request_id: state.requestId,
      method: ctx.method,
      path: ctx.path,
      query: ctx.querystring,
      route: route?.path,
      status: ctx.status,
      ms: Math.round(performance.now() - started),
      snapshot_id: snapshotId,
      reason,
      charged: settlement && (route?.price ?? ''),
      transaction: settlement?.transaction,
      payer: settlement?.payer,
      receipt_id: settlement?.receiptId,
      error,
      unresolved,
    });
  };
