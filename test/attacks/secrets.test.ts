/**
 * A server does not start with a node of another chain, and prints no secret of its URL. It is in the process of the
 * test; `api/http/redaction` asserts that the program prints the same.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Recorder } from '../api/support/recorded_servers.ts';
import { openAttackedShop, type AttackedShop } from './shop.ts';
import { startTestServer } from '../web/server.ts';

const SECRET = 'k3yOfTheNode';

describe('a server with secrets in its settings', () => {
  let shop: AttackedShop;
  before(async () => {
    shop = await openAttackedShop();
  });
  after(() => shop.close());

  it('shows none of them when it refuses to start with a node of another chain', async () => {
    const wrong = await startTestServer((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
    });
    const { host } = new URL(wrong.url);
    const env = { ...shop.env, RPC_URL: `http://${host}/v2/${SECRET}` };
    const server = await new Recorder().start('a node of another chain', env);
    await server.close();
    await wrong.close();
    assert.match(server.output(), /^RPC_URL is not shown, expected a node of Base/);
    for (const hidden of [SECRET, host]) assert.ok(!server.output().includes(hidden), server.output());
  });
});
