/**
 * The facilitator client against a loopback server that replies in every wrong way. Of several facilitators, the next
 * one is tried after a failure, never after a refusal.
 */
import assert from 'node:assert/strict';
import type { IncomingMessage, RequestListener } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { PaymentPayload } from '@x402/core/types';
import {
  FacilitatorUnavailable,
  preferredFacilitator,
  type Facilitator,
  httpFacilitator,
} from '../../../api/payments/facilitator.ts';
import { BASE } from '../../../lib/network.ts';
import { TERMS as requirements } from '../support/base.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const SECRET = 'hunter2secret';
const HASH = `0x${'ab'.repeat(32)}`;
const LARGE = JSON.stringify({ kinds: [], pad: 'x'.repeat(20_000_000) });
const TOO_LARGE = 'facilitator supported: reply larger than 64 kB';
const TIMED_OUT = 'facilitator supported: did not respond in time';
const NOT_REACHED = 'facilitator supported: could not be reached';

const payload: PaymentPayload = {
  x402Version: 2,
  resource: { url: 'https://dealfeed.test/api/deals' },
  accepted: requirements,
  payload: { signature: '0x12' },
};

interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const json =
  (status: number, body: unknown): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
const raw =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };

describe('the facilitator client', () => {
  let listener: RequestListener;
  let received: Received[] = [];
  let url = '';
  let server: TestServer;
  const client = (timeoutMs = 30_000): Facilitator => httpFacilitator({ network: BASE, url, timeoutMs });

  before(async () => {
    server = await startTestServer((request, response) => {
      const respond = async (): Promise<void> => {
        const { method = '', url: path = '', headers } = request;
        received.push({ method, path, headers, body: await text(request) });
        listener(request, response);
      };
      respond().catch(() => response.destroy());
    });
    url = `${server.url}/${SECRET}`;
  });
  beforeEach(() => {
    received = [];
  });
  after(() => server.close());

  it('sends the payload and the requirements as JSON, with the Authorization header if there is one', async () => {
    for (const more of [{ authorization: 'Bearer key' }, {}]) {
      const facilitator = httpFacilitator({ network: BASE, url: `${url}//`, ...more });
      listener = json(200, { success: true, transaction: HASH, network: 'eip155:8453' });
      assert.deepEqual(await facilitator.settle(payload, requirements), { transaction: HASH });
      listener = json(200, { kinds: [] });
      await facilitator.supported();
      const [settle, supported] = received.splice(0);
      assert.deepEqual([settle?.method, settle?.path], ['POST', `/${SECRET}/settle`]);
      assert.deepEqual([supported?.method, supported?.path, supported?.body], ['GET', `/${SECRET}/supported`, '']);
      for (const request of [settle, supported]) assert.equal(request?.headers.authorization, more.authorization);
      const expected = { x402Version: 2, paymentPayload: payload, paymentRequirements: requirements };
      assert.deepEqual(JSON.parse(settle?.body ?? ''), expected);
    }
  });

  it('reports an unusable reply without quoting it, and never treats it as a refused settlement', async () => {
    const UNUSABLE = 'facilitator supported: unusable reply (status 200)';
    const unending: RequestListener = (_, response) => {
      response.writeHead(200).write('{');
    };
    const endless: RequestListener = (_, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.writeHead(200).on('drain', write);
      write();
    };
    const hangUp: RequestListener = (request) => {
      request.socket.destroy();
    };
    for (const [wrong, message] of [
      [json(503, { error: SECRET }), 'facilitator supported: unusable reply (status 503)'],
      [json(401, { error: SECRET }), 'facilitator supported: unusable reply (status 401)'],
      [raw(200, `<html>${SECRET}`), UNUSABLE],
      [raw(200, Buffer.from([0x22, 0xff, 0x22])), UNUSABLE],
      [raw(200, ''), UNUSABLE],
      [json(200, null), UNUSABLE],
      [json(200, { kinds: [{}] }), UNUSABLE],
      [raw(200, '['.repeat(60_000)), UNUSABLE],
      [raw(302, '', { Location: `${url}/elsewhere` }), 'facilitator supported: unusable reply (status 302)'],
      [hangUp, NOT_REACHED],
      [json(200, { kinds: [], pad: 'x'.repeat(66_000) }), TOO_LARGE],
      [raw(200, gzipSync(LARGE), { 'Content-Encoding': 'gzip' }), TOO_LARGE],
      [endless, TOO_LARGE],
      [() => undefined, TIMED_OUT],
      [unending, TIMED_OUT],
    ] as const satisfies [RequestListener, string][]) {
      listener = wrong;
      const facilitator = client(message === TIMED_OUT ? 100 : 30_000);
      const error = await facilitator.supported().catch((thrown: unknown) => thrown);
      assert.ok(error instanceof FacilitatorUnavailable, message);
      assert.deepEqual([error.message, error.cause], [message, undefined]);
      assert.equal((await facilitator.settle(payload, requirements)).transaction, null, message);
    }
    assert.ok(!received.some(({ path }) => path.endsWith('/elsewhere')));
    const nowhere = httpFacilitator({ network: BASE, url: `http://127.0.0.1:1/${SECRET}` });
    assert.deepEqual(await nowhere.settle(payload, requirements), { transaction: null, hasFailed: true });
  });

  it('reads the hash of a settlement whatever its status, and distinguishes a failure from a refusal', async () => {
    const refused = { success: false, errorReason: 'insufficient_funds' };
    const notHashes = ['', null, [HASH], `${HASH}\n`, `${HASH}00`, HASH.slice(0, -2), `0x${'zz'.repeat(32)}`];
    for (const [status, body, hint] of [
      [200, { success: true, transaction: HASH.toUpperCase().replace('0X', '0x') }, { transaction: HASH }],
      [400, { ...refused, transaction: HASH }, { transaction: HASH }],
      [500, { ...refused, transaction: HASH }, { transaction: HASH }],
      ...[{ success: true }, [], 'x', ...notHashes.map((transaction) => ({ success: true, transaction }))].map(
        (wrong) => [200, wrong, { transaction: null }] as const,
      ),
      [400, refused, { transaction: null }],
      [402, refused, { transaction: null }],
      [429, refused, { transaction: null, hasFailed: true }],
      [500, refused, { transaction: null, hasFailed: true }],
    ] as const) {
      listener = json(status, body);
      assert.deepEqual(await client().settle(payload, requirements), hint, `${status} ${JSON.stringify(body)}`);
    }
  });

  it('reports whether exact payments on Base are supported', async () => {
    const kind = { x402Version: 2, scheme: 'exact', network: 'eip155:8453' };
    const testnet = { ...kind, network: 'eip155:84532' };
    for (const [kinds, expected] of [
      [[testnet, { ...kind, extra: { a: 1 } }], true],
      [[{ ...kind, network: 'eip155:*' }], true],
      [[testnet], false],
      [[{ ...kind, x402Version: 1 }], false],
      [[{ ...kind, scheme: 'upto' }], false],
    ] as const) {
      listener = json(200, { kinds, extensions: [], signers: {} });
      assert.equal(await client().supported(), expected, JSON.stringify(kinds));
    }
  });
});

const works: Facilitator = { settle: async () => ({ transaction: HASH }), supported: async () => true };
const fails: Facilitator = {
  settle: async () => ({ transaction: null, hasFailed: true }),
  supported: async () => Promise.reject(new FacilitatorUnavailable('down')),
};

const isFailure = { name: 'FacilitatorUnavailable' };

describe('several facilitators', () => {
  it('treat a refusal as final, and skip one that does not serve the network', async () => {
    const refuses: Facilitator = { ...works, settle: async () => ({ transaction: null }) };
    assert.deepEqual(await preferredFacilitator([refuses, works]).settle(payload, requirements), { transaction: null });
    const elsewhere: Facilitator = { ...refuses, supported: async () => false };
    assert.deepEqual(await preferredFacilitator([elsewhere, works]).settle(payload, requirements), {
      transaction: HASH,
    });
    await assert.rejects(preferredFacilitator([elsewhere]).reach?.() ?? Promise.resolve(), isFailure);
  });

  it('asks whether it can be reached after ten seconds without a reply, and at once after a failure', async () => {
    let [now, asked] = [0, 0];
    let settles = works.settle;
    const counted: Facilitator = {
      settle: (...args) => settles(...args),
      supported: async () => {
        asked += 1;
        return true;
      },
    };
    const one = preferredFacilitator([counted], () => now);
    const asksAt = async (ms: number): Promise<number> => {
      now = ms;
      const askedBefore = asked;
      await one.reach?.();
      return asked - askedBefore;
    };
    assert.deepEqual([await asksAt(0), await asksAt(9_999), await asksAt(10_000)], [1, 0, 1]);
    now = 19_000;
    await one.settle(payload, requirements);
    assert.equal(await asksAt(28_999), 0, 'a settlement is a reply');
    settles = fails.settle;
    await one.settle(payload, requirements);
    assert.equal(await asksAt(28_999), 1);
  });
});
