/** A client that sends its headers slowly, as in a slowloris attack, does not hold a connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { limitedServer } from '../../../api/http/socket.ts';

test('a connection whose headers do not arrive in time gets a 408 and is closed, while others are served', async () => {
  const server = limitedServer({ headersMs: 300, checkMs: 50 });
  server.on('request', (_request, response) => response.end('served'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  const answer = text(socket);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
  const drip = setInterval(() => socket.write('X-Slow: 1\r\n'), 20);
  try {
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'served');
    const [head = '', body = ''] = (await answer).split('\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 408 /u);
    const { reason, billed } = JSON.parse(body) as { reason: string; billed: boolean };
    assert.deepEqual([reason, billed], ['request_timeout', false]);
  } finally {
    clearInterval(drip);
    socket.destroy();
    server.closeAllConnections();
    server.close();
  }
});

test('the server gives a client 10 seconds for its headers and 15 for its request', () => {
  const { headersTimeout, requestTimeout } = limitedServer();
  assert.deepEqual([headersTimeout, requestTimeout], [10_000, 15_000]);
});
