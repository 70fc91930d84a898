/**
 * An HTTP server whose connections are limited: few requests of one connection are answered at a time, few more wait,
 * and a connection is closed when its reader stands still while output waits. Without these limits a caller that
 * pipelines requests and never reads makes the server hold every answer.
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

/** Requests of one connection that are answered at a time. */
const ANSWERED_AT_ONCE = 8;
/** Further requests that may wait for their turn. One more closes the connection. */
const WAITING = 64;
/** Time without progress after which a reader counts as stalled. Node notices between one and two times this. */
const STALLED_MS = 30_000;
const LOOKS_PER_STALL = 4;

export interface ConnectionLimits {
  /** Close a connection whose reader takes nothing for this long while output waits. */
  readonly stalledMs?: number;
}

interface Connection {
  readonly answering: Set<ServerResponse>;
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[];
  /** Whether the socket's timeout is the one for stalled readers. */
  isWatched: boolean;
}

/** Says on every answer that its Content-Type holds: Koa drops other headers when a stream fails. */
class TypedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override writeHead(
    status: number,
    reason?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    this.setHeader('X-Content-Type-Options', 'nosniff');
    return typeof reason === 'string' ? super.writeHead(status, reason, headers) : super.writeHead(status, reason);
  }
}

export class LimitedServer extends Server<typeof IncomingMessage, typeof TypedResponse> {
  readonly #connections = new Map<Socket, Connection>();
  readonly #stalledMs: number;

  constructor(options: ServerOptions, { stalledMs = STALLED_MS }: ConnectionLimits = {}) {
    super({ ...options, ServerResponse: TypedResponse });
    this.#stalledMs = stalledMs;
    const timer = setInterval(() => {
      this.#watchReaders();
    }, stalledMs / LOOKS_PER_STALL).unref();
    this.once('close', () => {
      clearInterval(timer);
    });
  }

  /** Requests reach the listeners when it is their turn. */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    const [request, response] = args;
    if (event !== 'request' || !(request instanceof IncomingMessage) || !(response instanceof ServerResponse))
      return super.emit(event, ...args);
    this.#admit(request, response);
    return true;
  }

  #admit(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    // Node goes on parsing what it has read of a connection that was closed meanwhile.
    if (!socket.writable) return;
    const connection = this.#connectionOf(socket);
    if (connection.answering.size < ANSWERED_AT_ONCE) this.#answer(connection, request, response);
    else if (connection.waiting.length < WAITING) connection.waiting.push([request, response]);
    else socket.destroy();
  }

  #connectionOf(socket: Socket): Connection {
    const known = this.#connections.get(socket);
    if (known) return known;
    const connection: Connection = { answering: new Set(), waiting: [], isWatched: false };
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      connection.waiting.length = 0;
      // Node closes only the response whose turn it is. The ones behind it would seem open forever.
      for (const response of connection.answering) {
        if (response.socket !== null) continue;
        response.destroy();
        response.emit('close');
      }
    });
    return connection;
  }

  #answer(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.answering.add(response);
    response.once('close', () => {
      connection.answering.delete(response);
      // Node sets the socket's timeout anew after an answer.
      connection.isWatched = false;
      const next = connection.waiting.shift();
      if (next && request.socket.writable) this.#answer(connection, ...next);
    });
    super.emit('request', request, response);
  }

  /**
   * Give connections with waiting output the short timeout. A socket's timeout counts what the kernel took as activity,
   * so a slow reader that makes progress is not cut.
   */
  #watchReaders(): void {
    for (const [socket, connection] of this.#connections) {
      const isWaiting = connection.answering.size > 0 && socket.writableLength > 0;
      if (isWaiting === connection.isWatched) continue;
      connection.isWatched = isWaiting;
      if (isWaiting) socket.setTimeout(this.#stalledMs);
      else if (connection.answering.size > 0) socket.setTimeout(this.timeout);
    }
  }
}
