/** Limits of one connection: pipelined requests, and readers that stall. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gracefulShutdown, limitedServer } from '../../../api/http/socket.ts';

const STALLED_MS = 400;
/** The system's buffers let a slow reader make progress in bursts, which must be more frequent than this. */
const SLOW_STALLED_MS = 1_000;
const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

/** A server with this handler, and counts of its requests. */
async function startServer(
  handle: (response: ServerResponse, path: string) => void,
  stalledMs = STALLED_MS,
): Promise<{
  port: number;
  seen: { now: number; most: number; all: number; closed: number };
  end: () => Promise<void>;
}> {
  const server = limitedServer({ stalledMs });
  const end = gracefulShutdown(server, 60_000);
  const seen = { now: 0, most: 0, all: 0, closed: 0 };
  server.on('request', (request, response) => {
    seen.all += 1;
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    // Before the server handles the next one.
    response.prependOnceListener('close', () => {
      seen.now -= 1;
      seen.closed += 1;
    });
    handle(response, request.url ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, seen, end };
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  opened.push(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  return socket;
}
const requests = (n: number, from = 0): string =>
  Array.from({ length: n }, (_, i) => `GET /${from + i} HTTP/1.1\r\nHost: x\r\n\r\n`).join('');
/** Read until this many responses of the form "<path>;" have arrived. */
async function readResponses(socket: Socket, n: number): Promise<string[]> {
  let text = '';
  for await (const chunk of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const found = [...text.matchAll(/(\/\d+);/g)].map((m) => m[1] ?? '');
    if (found.length >= n) return found;
  }
  return [];
}
const numbered = (n: number, from = 0): string[] => Array.from({ length: n }, (_, i) => `/${from + i}`);

describe('a connection', () => {
  it('with a few pipelined requests gets its responses in order, and stays open', async () => {
    // The first response is ready last.
    const { port, seen } = await startServer((response, path) => {
      setTimeout(
        () => {
          response.end(`${path};`);
        },
        path === '/0' ? 100 : 5,
      );
    });
    const socket = await connected(port);
    socket.write(requests(30));
    assert.deepEqual(await readResponses(socket, 30), numbered(30));
    socket.write(requests(2, 30));
    assert.deepEqual(await readResponses(socket, 2), numbered(2, 30));
    assert.equal(seen.most, 8);
  });

  it('with too many pipelined requests is closed after a few of them', async () => {
    const { port, seen } = await startServer((response, path) => {
      setImmediate(() => {
        response.end(path.padEnd(200_000, ';'));
      });
    });
    const socket = await connected(port);
    socket.pause();
    const closed = new Promise((resolve) => {
      socket.once('close', resolve);
    });
    socket.write(requests(5_000));
    // A paused socket reports its end only when it is read.
    while (seen.now > 0 || seen.all === 0) await pause(10);
    assert.ok(seen.all <= 8, `${seen.all} requests were handled`);
    socket.resume();
    await closed;
  });

  it('with a stalled reader is closed, including the responses in its queue', async () => {
    const { port, seen, end } = await startServer((response, path) => {
      response.end(path === '/0' ? Buffer.alloc(32 << 20) : path);
    });
    const socket = await connected(port);
    socket.pause();
    socket.write(requests(5));
    while (seen.closed < 5) await pause(20);
    assert.equal(seen.all, 5);
    // The connection does not keep the server from shutting down.
    await end();
  });

  it('with a slow reader stays open', async () => {
    const bytes = 10 << 20;
    const { port } = await startServer((response) => {
      response.end(Buffer.alloc(bytes));
    }, SLOW_STALLED_MS);
    const socket = await connected(port);
    socket.write(requests(1));
    let read = 0;
    let pausedMs = 0;
    while (read < bytes) {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) {
        assert.equal(socket.readable, true, `closed after ${read} bytes`);
        await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
        continue;
      }
      read += chunk.length;
      const ms = chunk.length / 3_000;
      await pause(ms);
      pausedMs += ms;
    }
    assert.ok(pausedMs > 3 * SLOW_STALLED_MS, 'the reader is too fast for this test');
  });

  it('that waits for a slow response stays open', async () => {
    const { port } = await startServer((response, path) => {
      setTimeout(() => {
        response.end(`${path};`);
      }, 3 * STALLED_MS);
    });
    const socket = await connected(port);
    socket.write(requests(2));
    assert.deepEqual(await readResponses(socket, 2), numbered(2));
  });
});
