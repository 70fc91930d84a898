/**
 * An HTTP server with limits per connection: requests handled at a time, requests queued, and the time without progress
 * while output waits. Without them a client that pipelines requests and never reads makes the server hold every
 * response in memory.
 */
import {
  IncomingMessage,
  Server,
  ServerResponse,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type ServerOptions,
} from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that are handled at a time. */
const MAX_ACTIVE = 8;
/** Further requests in its queue. One more closes the connection. */
const MAX_QUEUED = 64;
/** Time without progress after which a reader is stalled. Node notices after one to two times this. */
const STALLED_MS = 30_000;
const CHECKS_PER_STALL = 4;

export interface ConnectionLimits {
  /** Close a connection whose reader makes no progress for this long while output waits. */
  readonly stalledMs?: number;
}

interface Connection {
  readonly active: Set<ServerResponse>;
  readonly queued: (readonly [IncomingMessage, ServerResponse])[];
  /** Whether the socket's timeout is the one for stalled readers. */
  hasStallTimeout: boolean;
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

export class LimitedServer extends Server<typeof IncomingMessage, typeof NoSniffResponse> {
  readonly #connections = new Map<Socket, Connection>();
  readonly #stalledMs: number;

  constructor(options: ServerOptions, { stalledMs = STALLED_MS }: ConnectionLimits = {}) {
    super({ ...options, ServerResponse: NoSniffResponse });
    this.#stalledMs = stalledMs;
    const timer = setInterval(() => {
      this.#checkReaders();
    }, stalledMs / CHECKS_PER_STALL).unref();
    this.once('close', () => {
      clearInterval(timer);
    });
  }

  /** Emit `request` only when the limits of its connection allow. */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    const [request, response] = args;
    if (event !== 'request' || !(request instanceof IncomingMessage) || !(response instanceof ServerResponse))
      return super.emit(event, ...args);
    this.#admit(request, response);
    return true;
  }

  #admit(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    // Node still parses what it has read of a closed connection.
    if (!socket.writable) return;
    const connection = this.#connectionOf(socket);
    if (connection.active.size < MAX_ACTIVE) this.#handle(connection, request, response);
    else if (connection.queued.length < MAX_QUEUED) connection.queued.push([request, response]);
    else socket.destroy();
  }

  #connectionOf(socket: Socket): Connection {
    const known = this.#connections.get(socket);
    if (known) return known;
    const connection: Connection = { active: new Set(), queued: [], hasStallTimeout: false };
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      connection.queued.length = 0;
      // Node closes only the response being sent. The ones behind it would stay open forever.
      for (const response of connection.active) {
        if (response.socket !== null) continue;
        response.destroy();
        response.emit('close');
      }
    });
    return connection;
  }

  #handle(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.active.add(response);
    response.once('close', () => {
      connection.active.delete(response);
      // Node resets the socket's timeout after a response.
      connection.hasStallTimeout = false;
      const next = connection.queued.shift();
      if (next && request.socket.writable) this.#handle(connection, ...next);
    });
    super.emit('request', request, response);
  }

  /**
   * Set the short timeout on connections with waiting output. A socket's timeout restarts when the kernel accepts data,
   * so a slow reader that makes progress stays connected.
   */
  #checkReaders(): void {
    for (const [socket, connection] of this.#connections) {
      const isWaiting = connection.active.size > 0 && socket.writableLength > 0;
      if (isWaiting === connection.hasStallTimeout) continue;
      connection.hasStallTimeout = isWaiting;
      if (isWaiting) socket.setTimeout(this.#stalledMs);
      else if (connection.active.size > 0) socket.setTimeout(this.timeout);
    }
  }
}
