/** Secrets in every address we are given, and failures everywhere: nothing public and nothing logged repeats them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { attempt } from './books.ts';
import { DEALS, EXCLUSIVE, openAttackedShop, type AttackedShop } from './shop.ts';

const SECRET = 'k3yOfTheNode';
const SERVER = fileURLToPath(new URL('../../api/server.ts', import.meta.url));

/** A server in a process of its own, with everything it prints. */
async function startServer(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [SERVER], { env: { ...process.env, ...env } });
  let printed = '';
  const hear = (chunk: Buffer): void => {
    printed += chunk.toString('utf8');
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  for (let i = 0; i < 400 && !printed.includes('Ctrl-C') && child.exitCode === null; i += 1) await pause(50);
  const url = /^listening +(\S+)/m.exec(printed)?.[1] ?? '';
  const end = async (): Promise<void> => {
    if (child.exitCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  };
  return { url, printed: () => printed, end };
}

describe('a server with secrets in its settings', () => {
  let shop: AttackedShop;
  afterEach(() => shop.close());

  for (const how of ['drop', 429] as const) {
    it(`shows none of them while its node answers ${how}`, async () => {
      const env = { FACILITATOR_AUTHORIZATION: `Bearer ${SECRET}` };
      shop = await openAttackedShop({ nodePath: `/v2/${SECRET}`, env });
      const server = await startServer({ ...shop.env, LOG_LEVEL: 'debug' });
      try {
        const buyer = await shop.buyer();
        const headers = await Promise.all([DEALS, EXCLUSIVE].map((path) => buyer.sign(server.url + path)));
        shop.facilitator.behave(async ({ response }) => {
          response.destroy();
        });
        const seen: string[] = [];
        const made = await attempt(server.url + DEALS, headers[0] ?? '', buyer.signIn);
        seen.push(made.text, JSON.stringify([...made.headers]));
        shop.node.fail(how);
        const other = await attempt(server.url + EXCLUSIVE, headers[1] ?? '', buyer.signIn);
        seen.push(other.text, JSON.stringify([...other.headers]));
        // The watcher looks again after ten seconds, and health is cached for as long.
        for (let i = 0; i < 12; i += 1) {
          seen.push(await (await fetch(`${server.url}/health`)).text());
          await pause(1_000);
        }
        seen.push(server.printed());
        const hosts = [shop.node.url, shop.facilitator.url].map((url) => new URL(url).host);
        for (const text of seen) {
          for (const hidden of [SECRET, ...hosts]) assert.ok(!text.includes(hidden), `${hidden} is in: ${text}`);
        }
      } finally {
        await server.end();
      }
    });
  }

  it('shows none of them when it refuses to start with a node of another chain', async () => {
    shop = await openAttackedShop();
    const wrong = createServer((_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
    });
    await new Promise<void>((resolve) => {
      wrong.listen(0, '127.0.0.1', resolve);
    });
    const host = `127.0.0.1:${(wrong.address() as AddressInfo).port}`;
    const server = await startServer({ ...shop.env, RPC_URL: `http://${host}/v2/${SECRET}` });
    await server.end();
    wrong.closeAllConnections();
    wrong.close();
    assert.match(server.printed(), /RPC_URL/);
    for (const hidden of [SECRET, host]) assert.ok(!server.printed().includes(hidden), server.printed());
  });
});
