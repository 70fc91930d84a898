/**
 * Every URL in the settings has a secret, and every service fails: no response and no line that the program prints has
 * a secret. test/api/http/redaction.test.ts checks the same, with more faults, for servers in the process of the test;
 * this adds processes, which wait four seconds for each payment.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { attempt } from './books.ts';
import { startServer } from '../process/program.ts';
import { DEALS, EXCLUSIVE, openAttackedShop, type AttackedShop } from './shop.ts';

const SECRET = 'k3yOfTheNode';

describe('a server with secrets in its settings', () => {
  let shop: AttackedShop;
  before(async () => {
    const env = { FACILITATOR_AUTHORIZATION: `Bearer ${SECRET}` };
    shop = await openAttackedShop({ nodePath: `/v2/${SECRET}`, env });
  });
  after(() => shop.close());

  for (const how of ['drop', 429] as const) {
    it(`shows none of them while its node answers ${how}`, async () => {
      const start = () => startServer({ ...shop.env, LOG_LEVEL: 'debug' });
      const server = await start();
      const seen: string[] = [];
      let later: Awaited<ReturnType<typeof start>> | undefined;
      try {
        const buyer = await shop.buyer();
        const headers = await Promise.all([DEALS, EXCLUSIVE].map((path) => buyer.sign(server.url + path)));
        shop.facilitator.behave(async ({ response }) => {
          response.destroy();
        });
        const made = await attempt(server.url + DEALS, headers[0] ?? '', buyer.signIn);
        seen.push(made.text, JSON.stringify([...made.headers]));
        shop.node.fail(how);
        const other = await attempt(server.url + EXCLUSIVE, headers[1] ?? '', buyer.signIn);
        seen.push(other.text, JSON.stringify([...other.headers]));
        // A server that starts now looks up the open settlement at once, and fails.
        later = await start();
        for (const { url } of [server, later]) {
          const health = await (await fetch(`${url}/health`)).text();
          assert.match(health, /"unresolved":[1-9]/);
          seen.push(health);
        }
      } finally {
        shop.node.recover();
        await Promise.all([server.end('SIGTERM'), later?.end('SIGTERM')]);
      }
      seen.push(...server.lines, ...later.lines);
      const hosts = [shop.node.url, shop.facilitator.url].map((url) => new URL(url).host);
      for (const text of seen) {
        for (const hidden of [SECRET, ...hosts]) assert.ok(!text.includes(hidden), `${hidden} is in: ${text}`);
      }
    });
  }
});
