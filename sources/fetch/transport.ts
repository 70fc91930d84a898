/** One HTTP request and its whole answer, under limits of time and size. No retry, no redirect, no judgement. */
import { Agent, Pool, type Dispatcher } from 'undici';

export interface TransportLimits {
  /** Milliseconds to establish a connection. */
  readonly connectMs: number;
  /** Milliseconds until the answer's headers are complete. */
  readonly headersMs: number;
  /** Milliseconds between two parts of the body. */
  readonly bodyMs: number;
  /** Milliseconds for the whole exchange, against a body that drips for ever. */
  readonly totalMs: number;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case; repeated ones joined by ", ". Set-Cookie is apart. */
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookie: readonly string[];
  /** Body after transfer decoding, before content decoding. */
  readonly body: Uint8Array;
}

/** What became of a request without a whole answer. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** `unreachable`: no headers came. `cut`: the body ended or stalled early. `too_large`: it passed the limit. */
  readonly kind: 'unreachable' | 'cut' | 'too_large';
  /** Body bytes received before it. */
  readonly received: number;
  readonly status: number | null;
  constructor(kind: NoAnswer['kind'], message: string, received = 0, status: number | null = null) {
    super(message);
    this.kind = kind;
    this.received = received;
    this.status = status;
  }
}

export interface Transport {
  /**
   * @param form fields to send by POST; without them it is a GET
   * @throws NoAnswer
   */
  send(
    url: URL,
    headers: Readonly<Record<string, string>>,
    maxBytes: number,
    form?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * @param connectTo address that every host is reached at instead of its own (the sandbox world); the Host header
 *   still names the host of the request
 * @param stop ends every request that is under way, and those that are still begun
 */
export function createTransport(limits: TransportLimits, connectTo?: string, stop?: AbortSignal): Transport {
  const options = {
    connect: { timeout: limits.connectMs },
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
    // HTTP/1.1 only: its Content-Length tells a body that was cut from one that ended.
    allowH2: false,
  };
  const dispatcher: Dispatcher = connectTo === undefined ? new Agent(options) : new Pool(connectTo, options);

  async function send(
    url: URL,
    headers: Readonly<Record<string, string>>,
    maxBytes: number,
    form?: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const timeout = AbortSignal.timeout(limits.totalMs);
    const deadline = stop === undefined ? timeout : AbortSignal.any([timeout, stop]);
    let head: Dispatcher.ResponseData;
    try {
      head = await dispatcher.request({
        origin: connectTo ?? url.origin,
        path: `${url.pathname}${url.search}`,
        method: form ? 'POST' : 'GET',
        headers: {
          host: url.host,
          ...headers,
          ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        },
        signal: deadline,
        ...(form ? { body: new URLSearchParams(form).toString() } : {}),
      });
    } catch (error) {
      throw new NoAnswer('unreachable', codeOf(error));
    }
    const { statusCode: status, body } = head;
    const declared = Number(head.headers['content-length'] ?? 0);
    const parts: Uint8Array[] = [];
    let received = 0;
    // An error that arrives after the reading has stopped is no longer of interest.
    body.on('error', () => {});
    if (declared > maxBytes) {
      body.destroy();
      throw new NoAnswer('too_large', `the answer declares ${declared} bytes, the limit is ${maxBytes}`, 0, status);
    }
    try {
      for await (const part of body) {
        received += (part as Uint8Array).length;
        if (received > maxBytes) break;
        parts.push(part as Uint8Array);
      }
    } catch (error) {
      throw new NoAnswer(
        'cut',
        declared > 0 ? `${codeOf(error)} before ${declared} bytes had come` : codeOf(error),
        received,
        status,
      );
    }
    if (received > maxBytes)
      throw new NoAnswer('too_large', `the body passes the limit of ${maxBytes} bytes`, received, status);
    const { 'set-cookie': cookies, ...others } = head.headers;
    return {
      status,
      body: Buffer.concat(parts),
      setCookie: [cookies ?? []].flat(),
      headers: Object.fromEntries(Object.entries(others).map(([k, v]) => [k, [v ?? ''].flat().join(', ')])),
    };
  }

  return { send, close: () => dispatcher.destroy() };
}

/** The error's short code. Its message is left out: it names addresses and ports of the moment. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'an unknown error';
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && code !== 'UND_ERR_SOCKET') return String(code);
  return error.cause instanceof Error ? codeOf(error.cause) : (code ?? error.name);
}
