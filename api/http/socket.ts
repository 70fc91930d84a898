/** The HTTP server under the application: limits on what is read, and typed refusals where a request never becomes one. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LimitedServer, type ConnectionLimits } from './connections.ts';
import { documentOf, PROBLEMS, type Reason } from './problem.ts';

/** All headers of a request together; a payment is about 2 kB of them. */
const HEADER_BYTES = 16_384;
const HEADER_COUNT = 100;
/** To send the headers, and the whole request. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 15_000;
/** A connection on which nothing moves: longer than the slowest answer takes to be made and settled. */
const IDLE_MS = 300_000;

const refusalOf = (code: string | undefined): { reason: Reason; detail: string } => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { reason: 'headers_too_large', detail: `All headers together may be ${HEADER_BYTES} bytes long.` };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { reason: 'request_timeout', detail: 'The request did not arrive whole in time.' };
    default:
      return { reason: 'malformed_request', detail: 'This is not an HTTP request.' };
  }
};

function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { reason, detail } = refusalOf(error.code);
  const body = `${JSON.stringify(documentOf(reason, detail, false, randomUUID()))}\n`;
  socket.end(
    [
      `HTTP/1.1 ${PROBLEMS[reason].status} ${PROBLEMS[reason].title}`,
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

/** Node answers an Expect it does not know with nothing but a status. */
function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const body = `${JSON.stringify(documentOf('expectation_failed', 'Only 100-continue can be expected. Nothing was charged.', false, randomUUID()))}\n`;
  response.writeHead(PROBLEMS.expectation_failed.status, {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    Connection: 'close',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** A server that does not listen yet. */
export function limitedServer(limits: ConnectionLimits = {}): Server {
  const server = new LimitedServer(
    { maxHeaderSize: HEADER_BYTES, headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS },
    limits,
  );
  server.maxHeadersCount = HEADER_COUNT;
  server.setTimeout(IDLE_MS);
  server.on('clientError', refuse);
  server.on('checkExpectation', refuseExpectation);
  return server;
}

/**
 * Let a server end without cutting off who asks: no new connections, and each connection ends with the answer under way.
 * Node alone lets a connection that is kept go on asking for as long as it asks often enough.
 * @param mostMs after this time connections are cut
 * @returns what ends it; resolves when no connection is left
 */
export function endingOf(server: Server, mostMs: number): () => Promise<void> {
  const underWay = new Set<ServerResponse>();
  let ending = false;
  const isLast = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  server.prependListener('request', (_request, response) => {
    underWay.add(response);
    if (ending) isLast(response);
    response.once('close', () => {
      underWay.delete(response);
      // Its headers may have been on their way before the end began, and promised to keep the connection.
      if (ending)
        setImmediate(() => {
          server.closeIdleConnections();
        });
    });
  });
  return () =>
    new Promise((resolve) => {
      ending = true;
      underWay.forEach(isLast);
      const timer = setTimeout(() => {
        server.closeAllConnections();
      }, mostMs);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
    });
}
