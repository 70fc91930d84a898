/** The HTTP server below the application: limits on input, problem documents for invalid requests, and shutdown. */
import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  ServerResponse,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type Server,
} from 'node:http';
import type { Socket } from 'node:net';
import { Problem, problemDocument, PROBLEMS } from './problem.ts';

/** All headers of a request together; a payment takes about 2 kB. */
const HEADER_BYTES = 16_384;
const HEADER_COUNT = 100;
/** Time to receive the headers, and the complete request; Node looks for late ones at this interval. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 15_000;
const CHECK_MS = 5_000;
/** Idle timeout of a connection: longer than the slowest response takes, including settlement. */
const IDLE_MS = 300_000;

const clientErrorProblem = (code: string | undefined): Problem => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers_too_large', `The headers exceed ${HEADER_BYTES} bytes in total.`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'The request did not arrive completely in time.');
    default:
      return new Problem('malformed_request', 'This is not an HTTP request.');
  }
};

const bodyOf = (problem: Problem): string => `${JSON.stringify(problemDocument(problem, randomUUID()))}\n`;

function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = clientErrorProblem(error.code);
  const { status, title } = PROBLEMS[problem.reason];
  const body = bodyOf(problem);
  socket.end(
    [
      `HTTP/1.1 ${status} ${title}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

/** By default, Node responds to an unknown Expect header with a status and no body. */
function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const detail = 'The only supported Expect header is 100-continue. Nothing was charged.';
  const body = bodyOf(new Problem('expectation_failed', detail));
  response.writeHead(PROBLEMS.expectation_failed.status, {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    Connection: 'close',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Sets nosniff when the headers are written, as Koa drops other headers when a stream fails. */
class NoSniffResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override writeHead(
    status: number,
    reason?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    this.setHeader('X-Content-Type-Options', 'nosniff');
    return typeof reason === 'string' ? super.writeHead(status, reason, headers) : super.writeHead(status, reason);
  }
}

export interface ReceiveLimits {
  readonly headersMs?: number;
  readonly checkMs?: number;
}

/** A server that does not listen yet. Limits on connections are the proxy's (docs/deploying.md). */
export function limitedServer({ headersMs = HEADERS_MS, checkMs = CHECK_MS }: ReceiveLimits = {}): Server {
  const server = createServer({
    ServerResponse: NoSniffResponse,
    maxHeaderSize: HEADER_BYTES,
    headersTimeout: headersMs,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: checkMs,
  });
  server.maxHeadersCount = HEADER_COUNT;
  server.setTimeout(IDLE_MS);
  server.on('clientError', refuse);
  server.on('checkExpectation', refuseExpectation);
  return server;
}

/**
 * Prepare a server for a graceful shutdown: it accepts no new connections, and each connection closes after its current
 * response. Node alone keeps a keep-alive connection open for as long as its client sends requests often enough.
 * @param maxMs after this time, connections are cut
 * @returns a function that shuts the server down and resolves when no connection is left
 */
export function gracefulShutdown(server: Server, maxMs: number): () => Promise<void> {
  const open = new Set<ServerResponse>();
  let isStopping = false;
  const closeAfter = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  server.prependListener('request', (_request, response) => {
    open.add(response);
    if (isStopping) closeAfter(response);
    response.once('close', () => {
      open.delete(response);
      // Its headers may have been sent before the shutdown began, with keep-alive.
      if (isStopping)
        setImmediate(() => {
          server.closeIdleConnections();
        });
    });
  });
  return () =>
    new Promise((resolve) => {
      isStopping = true;
      open.forEach(closeAfter);
      const timer = setTimeout(() => {
        server.closeAllConnections();
      }, maxMs);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
    });
}
