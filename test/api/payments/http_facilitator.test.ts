/**
 * The facilitator client against a loopback server that replies in every wrong way. Of several facilitators, the next
 * one is tried after a failure, never after a refusal.
 */
import assert from 'node:assert/strict';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import {
  FacilitatorUnavailable,
  preferredFacilitator,
  type Facilitator,
} from '../../../api/payments/facilitator/facilitator.ts';
import { httpFacilitator } from '../../../api/payments/facilitator/http_facilitator.ts';
import { BASE } from '../../../lib/network.ts';
import { startTestServer, type TestServer } from '../../web/server.ts';

const SECRET = 'hunter2secret';
const HASH = `0x${'ab'.repeat(32)}`;
const LARGE = JSON.stringify({ kinds: [], pad: 'x'.repeat(20_000_000) });
const TOO_LARGE = 'facilitator supported: reply larger than 64 kB (status 200)';
const TIMED_OUT = 'facilitator supported: did not respond in time';
const NOT_REACHED = 'facilitator supported: could not be reached';

const requirements: PaymentRequirements = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: `0x${'11'.repeat(20)}`,
  amount: '50000',
  payTo: `0x${'22'.repeat(20)}`,
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
};
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
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    received.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
    listener(request, response);
  };
  let server: TestServer;
  const client = (timeoutMs = 30_000): Facilitator => httpFacilitator({ network: BASE, url, timeoutMs });

  before(async () => {
    server = await startTestServer((request, response) => {
      respond(request, response).catch(() => {
        response.destroy();
      });
    });
    url = `${server.url}/${SECRET}`;
  });
  beforeEach(() => {
    received = [];
  });
  after(() => server.close());

  const isUnavailable =
    (message: string) =>
    (error: unknown): boolean => {
      assert.ok(error instanceof Error);
      assert.equal(error.name, 'FacilitatorUnavailable');
      assert.equal(error.message, message);
      assert.equal(error.cause, undefined);
      return true;
    };

  it('sends the version, the payload and the requirements as JSON, with the Authorization header', async () => {
    const facilitator = httpFacilitator({ network: BASE, url: `${url}//`, authorization: 'Bearer key' });
    listener = json(200, { success: true, transaction: HASH, network: 'eip155:8453' });
    assert.deepEqual(await facilitator.settle(payload, requirements), { transaction: HASH });
    listener = json(200, { kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }] });
    assert.equal(await facilitator.supported(), true);
    const [settle, supported] = received;
    assert.deepEqual([settle?.method, settle?.path], ['POST', `/${SECRET}/settle`]);
    assert.deepEqual([supported?.method, supported?.path, supported?.body], ['GET', `/${SECRET}/supported`, '']);
    for (const request of received) assert.equal(request.headers.authorization, 'Bearer key');
    assert.equal(settle?.headers['content-type'], 'application/json');
    const expected = { x402Version: 2, paymentPayload: payload, paymentRequirements: requirements };
    assert.deepEqual(JSON.parse(settle.body), expected);
  });

  it('sends no Authorization header without a setting', async () => {
    listener = json(200, { kinds: [] });
    await client().supported();
    assert.equal(received[0]?.headers.authorization, undefined);
  });

  it('reports a facilitator without a usable reply in its own words', async () => {
    const cases: [string, RequestListener, string][] = [
      ['down', json(503, { error: SECRET }), 'facilitator supported: status 503'],
      ['wrong key', json(401, { error: SECRET }), 'facilitator supported: status 401'],
      ['too many requests', json(429, {}), 'facilitator supported: status 429'],
      ['not JSON', raw(200, `<html>${SECRET}`), 'facilitator supported: unusable reply (status 200)'],
      ['not UTF-8', raw(200, Buffer.from([0x22, 0xff, 0x22])), 'facilitator supported: unusable reply (status 200)'],
      ['empty', raw(200, ''), 'facilitator supported: unusable reply (status 200)'],
      ['null', json(200, null), 'facilitator supported: unusable reply (status 200)'],
      ['text for a list', json(200, { kinds: 'all' }), 'facilitator supported: unusable reply (status 200)'],
      ['deeply nested', raw(200, '['.repeat(60_000)), 'facilitator supported: unusable reply (status 200)'],
      ['a redirect', raw(302, '', { Location: `${url}/elsewhere` }), 'facilitator supported: could not be reached'],
      [
        'a closed connection',
        (request) => {
          request.socket.destroy();
        },
        'facilitator supported: could not be reached',
      ],
      ['larger than 64 kB', json(200, { kinds: [], pad: 'x'.repeat(66_000) }), TOO_LARGE],
      ['larger after decompression', raw(200, gzipSync(LARGE), { 'Content-Encoding': 'gzip' }), TOO_LARGE],
    ];
    for (const [name, wrong, message] of cases) {
      listener = wrong;
      await assert.rejects(client().supported(), isUnavailable(message), name);
      assert.equal((await client().settle(payload, requirements)).transaction, null, name);
    }
    assert.equal(
      received.some((r) => r.path.endsWith('/elsewhere')),
      false,
    );
  });

  it('gives up on a reply that does not come, or does not end, in time', async () => {
    const silent: RequestListener = () => undefined;
    const unending: RequestListener = (_, response) => {
      response.writeHead(200).write('{');
    };
    for (const slow of [silent, unending]) {
      listener = slow;
      const facilitator = client(100);
      await assert.rejects(facilitator.supported(), isUnavailable(TIMED_OUT));
      assert.deepEqual(await facilitator.settle(payload, requirements), { transaction: null, hasFailed: true });
    }
  });

  it('reads at most 64 kB of an unending reply, and ends the connection', async () => {
    let sent = 0;
    const closed = new Promise<void>((resolve) => {
      listener = (_, response) => {
        const chunk = 'x'.repeat(16_384);
        const write = (): void => {
          while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        };
        response.writeHead(200).on('drain', write).on('close', resolve);
        write();
      };
    });
    await assert.rejects(client().supported(), isUnavailable(TOO_LARGE));
    await closed;
    assert.ok(sent < 8_000_000, `${sent} bytes were taken`);
  });

  it('takes a transaction hash from a settlement reply whatever its status, and nothing that is not one', async () => {
    const replies: [number, unknown, string | null][] = [
      [200, { success: true, transaction: HASH }, HASH],
      [200, { success: true, transaction: HASH.toUpperCase().replace('0X', '0x') }, HASH],
      [400, { success: false, errorReason: 'insufficient_funds', transaction: HASH }, HASH],
      [500, { success: false, transaction: HASH }, HASH],
      [200, { success: true }, null],
      [200, [], null],
      [200, 'x', null],
    ];
    const notHashes = [
      '',
      null,
      [HASH],
      `${HASH}\r\nSet-Cookie: a=b`,
      `${HASH}\n`,
      `${HASH}00`,
      HASH.slice(0, -2),
      `0x${'zz'.repeat(32)}`,
      `0x${'a'.repeat(200_000)}`,
    ];
    for (const transaction of notHashes) replies.push([200, { success: true, transaction }, null]);
    for (const [status, body, transaction] of replies) {
      listener = json(status, body);
      const hint = await client().settle(payload, requirements);
      assert.equal(hint.transaction, transaction, JSON.stringify(body).slice(0, 120));
    }
  });

  it('distinguishes a failure to settle, after which another facilitator is tried, from a refusal', async () => {
    for (const [status, hasFailed] of [
      [200, false],
      [400, false],
      [402, false],
      [429, true],
      [500, true],
      [503, true],
    ] as const) {
      listener = json(status, { success: false, errorReason: 'insufficient_funds', transaction: '' });
      assert.equal((await client().settle(payload, requirements)).hasFailed === true, hasFailed, String(status));
    }
  });

  it('never rejects from settle, also where nothing listens', async () => {
    const facilitator = httpFacilitator({ network: BASE, url: `http://127.0.0.1:1/${SECRET}` });
    assert.deepEqual(await facilitator.settle(payload, requirements), { transaction: null, hasFailed: true });
    await assert.rejects(facilitator.supported(), isUnavailable(NOT_REACHED));
  });

  it('reports whether exact payments on Base are supported', async () => {
    const kind = { x402Version: 2, scheme: 'exact', network: 'eip155:8453' };
    const testnet = { ...kind, network: 'eip155:84532' };
    const cases: [unknown[], boolean][] = [
      [[kind], true],
      [[testnet, { ...kind, extra: { a: 1 } }], true],
      [[{ ...kind, network: 'eip155:*' }], true],
      [[], false],
      [[testnet], false],
      [[{ ...kind, x402Version: 1 }], false],
      [[{ ...kind, scheme: 'upto' }], false],
    ];
    for (const [kinds, expected] of cases) {
      listener = json(200, { kinds, extensions: [], signers: {} });
      assert.equal(await client().supported(), expected, JSON.stringify(kinds));
    }
    for (const wrong of [json(200, {}), json(200, { kinds: [{}] }), raw(200, 'x')]) {
      listener = wrong;
      await assert.rejects(client().supported(), isUnavailable('facilitator supported: unusable reply (status 200)'));
    }
    listener = json(500, { kinds: [kind] });
    await assert.rejects(client().supported(), isUnavailable('facilitator supported: status 500'));
  });
});

const works: Facilitator = { settle: async () => ({ transaction: HASH }), supported: async () => true };
const fails: Facilitator = {
  settle: async () => ({ transaction: null, hasFailed: true }),
  supported: async () => Promise.reject(new FacilitatorUnavailable('down')),
};

const isFailure = { name: 'FacilitatorUnavailable' };

describe('several facilitators', () => {
  it('treats a refusal as final, and never tries one that does not serve the network', async () => {
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
