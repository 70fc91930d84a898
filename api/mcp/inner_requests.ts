/**
 * Requests that the server makes to itself, in process: a tool call runs through the same checks, limits, payments and
 * log as the HTTP request that it stands for.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import inject from 'light-my-request';
import type { Middleware } from 'koa';
import { stateOf } from '../http/request_state.ts';

/** Bytes read of a file, to show its first lines. */
const MAX_FILE_BYTES = 1_000_000;

export interface InnerRequest {
  /** Path and query. */
  readonly target: string;
  /** PAYMENT-SIGNATURE. */
  readonly payment: string | undefined;
  /** Address of the caller, for the rate limit. */
  readonly ip: string;
  readonly host: string;
  /** The response that carries this one to the caller. */
  readonly carrier: ServerResponse;
}

export interface InnerResponse {
  readonly status: number;
  /** Media type. */
  readonly type: string;
  readonly text: string;
  /** Whether `text` is only the start of the body. */
  readonly isCut: boolean;
  /** A header by its name in lower case. */
  header(name: string): string | undefined;
}

const carriers = new WeakMap<IncomingMessage, ServerResponse>();

/** Middleware that tells an inner request which response carries its own to the caller. */
export const carryResponses: Middleware = async (ctx, next) => {
  const carrier = carriers.get(ctx.req);
  if (carrier) stateOf(ctx).carrier = carrier;
  await next();
};

async function readText(body: Readable, most: number): Promise<{ text: string; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > most) break;
  }
  return { text: Buffer.concat(chunks).toString('utf8'), isCut: bytes > most };
}

/** Make a GET request in process. @throws Error if the response ends early */
export async function requestInProcess(handle: RequestListener, request: InnerRequest): Promise<InnerResponse> {
  const { target, payment, ip, host, carrier } = request;
  const response = await inject(
    (req, res) => {
      carriers.set(req, carrier);
      handle(req, res);
    },
    {
      method: 'GET',
      url: target,
      // No header of the caller is forwarded.
      headers: {
        host,
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'mcp',
        ...(payment === undefined ? {} : { 'payment-signature': payment }),
      },
      remoteAddress: ip,
      payloadAsStream: true,
    },
  );
  const header = (name: string): string | undefined => {
    const value = response.headers[name];
    return value === undefined ? undefined : String(value);
  };
  const type = (header('content-type') ?? '').split(';')[0] ?? '';
  // oxlint-disable-next-line no-restricted-properties -- the stream of a response, whose early end is an error
  const { text, isCut } = await readText(response.stream(), type === 'text/csv' ? MAX_FILE_BYTES : Infinity);
  // Stop reading the stored answer.
  if (isCut) response.raw.res.destroy();
  return { status: response.statusCode, type, text, isCut, header };
}
