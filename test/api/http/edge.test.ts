/** HEAD with a sign-in, requests with two hosts, nosniff on every response, and key files with wrong permissions. */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { generatePrivateKey } from 'viem/accounts';
import { buyerAccount } from '../../../clients/wallet.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { PUBLIC_URL, sharedApp } from '../support/test_app.ts';
import { buyerWith } from '../support/buyers.ts';
import { rowsOfTable } from '../support/snapshot_fixtures.ts';
import { exchangeBytes } from '../support/raw_exchange.ts';
import { PAY_TO, receiptKeyPath } from '../support/receipt_key.ts';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { limitedServer } from '../../../api/http/socket.ts';

const requestText = (target: string, ...headers: string[]): string =>
  [`GET ${target} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n');

describe('the server', () => {
  const shared = sharedApp({ deals: rowsOfTable('deals', 3) });

  it('does not use up a sign-in that is sent with HEAD', async () => {
    const buyer = buyerWith();
    const sold = await buyer.fetch(`${shared.app.url}/api/deals`);
    assert.equal(sold.status, 200);
    const bytes = Buffer.from(await sold.arrayBuffer());
    const url = `${shared.app.url}/api/purchases/${sold.headers.get('Receipt-Id')}`;
    const proof = await buyer.signIn(url);
    const head = await fetch(url, { method: 'HEAD', headers: { 'SIGN-IN-WITH-X': proof } });
    assert.equal(head.status, 400);
    assert.equal(shared.app.requests.at(-1)?.reason, 'sign_in_on_head');
    const collected = await fetch(url, { headers: { 'SIGN-IN-WITH-X': proof } });
    assert.equal(collected.status, 200);
    assert.deepEqual(Buffer.from(await collected.arrayBuffer()), bytes);
    assert.equal((await fetch(url, { method: 'HEAD' })).status, 401, 'HEAD without a sign-in is handled like GET');
  });

  it('refuses a request that names two hosts', async () => {
    for (const [name, request] of [
      ['two headers', requestText('/api/meta', 'Host: a.example', 'Host: b.example')],
      ['the same one twice', requestText('/api/meta', 'Host: a.example', 'host: a.example')],
      ['another one in the target', requestText('http://b.example/api/meta', 'Host: a.example')],
      ['another port in the target', requestText('http://a.example:81/api/meta', 'Host: a.example')],
      ['a user in the target', requestText('http://a.example@b.example/api/meta', 'Host: a.example')],
    ] as const) {
      const received = await exchangeBytes(shared.app.url, request);
      assert.match(received, /^HTTP\/1\.1 400 /, name);
      assert.match(received, /"reason":"malformed_request","billed":false/, name);
    }
  });

  it('accepts a target in absolute form, and requires a payment for its public URL', async () => {
    assert.match(
      await exchangeBytes(shared.app.url, requestText('http://a.example/api/meta', 'Host: a.example')),
      /^HTTP\/1\.1 200 /,
    );
    assert.match(
      await exchangeBytes(shared.app.url, requestText('HTTP://A.example:80', 'Host: a.example')),
      /^HTTP\/1\.1 200 /,
    );
    const received = await exchangeBytes(
      shared.app.url,
      requestText('http://a.example/api/deals?state=OH', 'Host: a.example', 'X-Forwarded-Host: evil.example'),
    );
    assert.match(received, /^HTTP\/1\.1 402 /);
    const required = Buffer.from(/^PAYMENT-REQUIRED: (\S+)/im.exec(received)?.[1] ?? '', 'base64').toString('utf8');
    assert.equal(
      (JSON.parse(required) as { resource: { url: string } }).resource.url,
      `${PUBLIC_URL}/api/deals?state=OH`,
    );
  });

  it('sends nosniff with every response', async () => {
    const paid = await buyerWith().sign(`${shared.app.url}/api/deals`);
    const payment = { headers: { 'PAYMENT-SIGNATURE': paid } };
    const calls: [path: string, status: number, init?: RequestInit][] = [
      ['/', 200],
      ['/api/meta', 200],
      ['/api/meta', 204, { method: 'OPTIONS', headers: { Origin: 'x', 'Access-Control-Request-Method': 'GET' } }],
      ['/api/meta', 405, { method: 'POST' }],
      ['/api/meta?x=1', 400],
      ['/api/nothing', 404],
      [`/${'a'.repeat(3_000)}`, 414],
      ['/api/deals', 402],
      ['/api/deals', 200, payment],
      ['/api/deals', 409, payment],
      ['/api/purchases/00000000-0000-4000-8000-000000000000', 401],
    ];
    for (const [path, status, init] of calls) {
      const response = await fetch(shared.app.url + path, init);
      await response.arrayBuffer();
      assert.deepEqual([response.status, response.headers.get('X-Content-Type-Options')], [status, 'nosniff'], path);
    }
    for (const [bytes, status, reason] of [
      ['hello\r\n\r\n', 400, 'malformed_request'],
      [requestText('/', 'Host: x', `X-Long: ${'a'.repeat(20_000)}`), 431, 'headers_too_large'],
      [requestText('/', 'Host: x', 'Expect: 200-ok'), 417, 'expectation_failed'],
    ] as const) {
      const received = await exchangeBytes(shared.app.url, bytes);
      assert.match(received, new RegExp(`^HTTP/1\\.1 ${status} `, 'u'));
      assert.match(received, /^X-Content-Type-Options: nosniff\r$/im, reason);
      assert.match(received, new RegExp(`"reason":"${reason}","billed":false`, 'u'));
    }
  });
});

describe('a key file', () => {
  it('is accepted if only its owner can read it, and else refused with the command to run', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dealfeed-keys-'));
    const file = join(folder, "a key's file");
    await writeFile(file, `${generatePrivateKey()}\n`);
    const settings = { PAYMENTS: 'self', PAY_TO, PUBLIC_BASE_URL: 'http://localhost', RPC_URL: 'http://127.0.0.1:9' };
    const env = { ...settings, RECEIPT_KEY_FILE: receiptKeyPath(), SETTLE_KEY_FILE: file };
    await chmod(file, 0o600);
    assert.equal(readServerSettings(env).payments.mode, 'self');
    assert.notEqual(await buyerAccount({ BUYER_KEY_FILE: file }), undefined);
    for (const [mode, shown] of [
      [0o640, '0640'],
      [0o602, '0602'],
    ] as const) {
      await chmod(file, mode);
      const why = `which group or others can open \\(mode ${shown}\\)\\. Run: chmod 600 '.*a key'\\\\''s file'$`;
      const refused = (setting: string) => ({
        name: 'SettingError',
        message: new RegExp(`^${setting} is ".*", ${why}`, 'u'),
      });
      assert.throws(() => readServerSettings(env), refused('SETTLE_KEY_FILE'));
      await assert.rejects(buyerAccount({ BUYER_KEY_FILE: file }), refused('BUYER_KEY_FILE'));
    }
    await rm(folder, { recursive: true });
  });
});

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
