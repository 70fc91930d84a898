/**
 * Responses when the facilitator, the handler or the settlement fails. The chain decides what a buyer gets; the
 * facilitator's reply is only a hint. Both are scripted.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { PaymentPayload } from '@x402/core/types';
import { ChainUnavailable } from '../../../api/payments/chain/chain_errors.ts';
import type { Evidence } from '../../../api/payments/chain/evidence.ts';
import { FacilitatorUnavailable, type SettlementHint } from '../../../api/payments/facilitator/facilitator_client.ts';
import { openSnapshots, type Snapshots } from '../../../api/snapshot/follow.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { ScriptedFacilitator, startApp, type Started } from '../support/test_app.ts';
import { bodyOf, buyerWith, fetchWithPayment } from '../support/buyers.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';

const OTHER = `0x${'2'.repeat(64)}`;

const away = async (): Promise<never> => {
  throw new FacilitatorUnavailable('facilitator: could not be reached');
};

describe('the payment layer', () => {
  let folder: DataFolder;
  let snapshots: Snapshots;
  let started: Started;
  let facilitator: ScriptedFacilitator;
  const buyer = buyerWith();
  const url = (query = ''): string => `${started.url}/api/deals${query}`;
  const reasonOf = async (response: Response): Promise<unknown> => (await bodyOf(response))['reason'];

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 2) });
    snapshots = await openSnapshots({ dataDir: folder.path });
  });
  after(async () => {
    snapshots.close();
    await folder.remove();
  });
  beforeEach(async () => {
    facilitator = new ScriptedFacilitator();
    started = await startApp(folder.path, { facilitator, snapshots });
  });
  afterEach(() => started.close());

  it('responds with 503 and Retry-After, never 402, while the facilitator cannot be reached', async () => {
    const payment = await buyer.sign(url());
    facilitator.onReach = away;
    const response = await fetchWithPayment(url(), payment);
    assert.equal(response.status, 503);
    assert.equal(response.headers.get('Retry-After'), '5');
    assert.equal(await reasonOf(response), 'payments_unavailable');
    facilitator.onReach = async () => undefined;
    assert.equal((await fetchWithPayment(url(), payment)).status, 200);
  });

  it('starts without its facilitator, sells nothing meanwhile, and recovers without a restart', async () => {
    let now = Date.now();
    const down = new ScriptedFacilitator();
    const answer = down.onSupported;
    down.onSupported = away;
    const app = await startApp(folder.path, { facilitator: down, nowMs: () => now, snapshots });
    try {
      assert.equal((await fetch(`${app.url}/api/meta`)).status, 200);
      assert.equal((await fetch(`${app.url}/api/deals`)).status, 503);
      assert.equal((await bodyOf(await fetch(`${app.url}/health`)))['status'], 'degraded');
      const status = await fetch(`${app.url}/status`, { headers: { Accept: 'text/html' } });
      assert.match(await status.text(), /<strong>You cannot buy now\.<\/strong> A paid call gets 503/u);
      down.onSupported = answer;
      assert.equal((await fetch(`${app.url}/api/deals`)).status, 503, 'it is not asked again at once');
      now += 6_000;
      assert.equal((await fetch(`${app.url}/api/deals`)).status, 402);
      assert.equal((await bodyOf(await fetch(`${app.url}/health`)))['status'], 'ok');
    } finally {
      await app.close();
    }
  });

  it('refuses to start on a facilitator that does not serve the network', async () => {
    const other = new ScriptedFacilitator();
    other.onSupported = async () => false;
    const app = await startApp(folder.path, { facilitator: other, snapshots });
    try {
      await assert.rejects(app.app.payments.start(), { name: 'UnservedNetwork' });
      assert.equal((await fetch(`${app.url}/api/deals`)).status, 503);
    } finally {
      await app.close();
    }
  });

  it('does not settle when the handler has nothing, and frees the payment', async () => {
    const payment = await buyer.sign(url());
    assert.equal((await fetchWithPayment(url('?state=ZZ'), payment)).status, 404);
    assert.equal(facilitator.settled, 0);
    assert.equal((await fetchWithPayment(url(), payment)).status, 200);
    assert.equal(facilitator.settled, 1);
  });

  it('does not settle when the handler crashes, and discloses no internals', async () => {
    const payment = await buyer.sign(url());
    const lease = started.snapshots.acquire();
    assert.ok(lease);
    const { snapshot } = lease;
    const { texts } = snapshot;
    Object.assign(snapshot, {
      texts: () => {
        throw new Error('a secret of the inside');
      },
    });
    const response = await fetchWithPayment(url(), payment);
    Object.assign(snapshot, { texts });
    lease.release();
    assert.equal(response.status, 500);
    const text = await response.text();
    assert.doesNotMatch(text, /secret|\.ts|at /);
    assert.equal((JSON.parse(text) as Record<string, unknown>)['reason'], 'internal_error');
    assert.equal(facilitator.settled, 0);
    assert.equal((await fetchWithPayment(url(), payment)).status, 200);
  });

  it('calls a copy used, not invalid, that was being checked while the first was settled', async () => {
    const payment = await buyer.sign(url());
    const [bothAsked, settled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let asked = 0;
    facilitator.chain.onPayer = async () => {
      asked += 1;
      const isFirst = asked === 1;
      if (!isFirst) bothAsked.resolve();
      await (isFirst ? bothAsked : settled).promise;
      return { hasCode: false, balance: 10n ** 9n, isUsed: !isFirst };
    };
    const responses = await Promise.all(
      [0, 1].map(async () => {
        const response = await fetchWithPayment(url(), payment);
        if (response.status === 200) settled.resolve();
        return response;
      }),
    );
    const refused = responses.find((r) => r.status !== 200);
    assert.equal(refused?.status, 409);
    assert.equal(await reasonOf(refused), 'payment_already_used');
    assert.equal(facilitator.settled, 1);
  });

  it('compares the signed payment with the requirements itself, whatever the facilitator replies', async () => {
    const changes = [
      [{ value: '49999' }, 'invalid_exact_evm_payload_authorization_value_mismatch', /49999 .* costs exactly \d+\./],
      [{ value: '50001' }, 'invalid_exact_evm_payload_authorization_value_mismatch', /50001 .* costs exactly \d+\./],
      [{ to: `0x${'0'.repeat(38)}bb` }, 'invalid_exact_evm_recipient_mismatch', /pays 0x0+bb, .* paid to 0x/],
      [
        { validBefore: '1' },
        'invalid_exact_evm_payload_authorization_valid_before',
        /validBefore is 1; it must be \d+ or later/,
      ],
    ] as const;
    for (const [change, error, cause] of changes) {
      const payment = await buyer.forge(url(), (p) => ({
        ...p,
        payload: {
          ...p.payload,
          authorization: { ...(p.payload as { authorization: object }).authorization, ...change },
        },
      }));
      const response = await fetchWithPayment(url(), payment);
      assert.equal(response.status, 402, JSON.stringify(change));
      const body = await bodyOf(response);
      assert.equal(body['payment_error'], error);
      assert.match(String(body['detail']), cause);
    }
    const otherTerms = await buyer.forge(url(), (p) => ({ ...p, accepted: { ...p.accepted, amount: '1' } }));
    const { detail } = await bodyOf(await fetchWithPayment(url(), otherTerms));
    assert.match(String(detail), /It accepts amount 1, and this call requires \d+\./);
    assert.equal(facilitator.settled, 0);
  });

  it('does not charge a buyer who has hung up before the answer was ready', async () => {
    const payment = await buyer.sign(url());
    const buyerGone = new AbortController();
    facilitator.onReach = async () => {
      buyerGone.abort();
      await pause(150);
    };
    const logged = started.requests.length;
    await assert.rejects(fetch(url(), { headers: { 'PAYMENT-SIGNATURE': payment }, signal: buyerGone.signal }));
    while (started.requests.length === logged) await pause(20);
    facilitator.onReach = async () => undefined;
    assert.equal(facilitator.settled, 0);
    assert.equal((await fetchWithPayment(url(), payment)).status, 200);
  });

  it('builds the resource address from the configured public address, whatever the request says', async () => {
    const response = await fetch(url('?state=OH'), {
      headers: { Origin: 'https://evil.example', 'X-Forwarded-Host': 'evil.example' },
    });
    const header = JSON.parse(
      Buffer.from(response.headers.get('PAYMENT-REQUIRED') ?? '', 'base64').toString('utf8'),
    ) as { resource: { url: string } };
    assert.equal(header.resource.url, 'https://api.dealfeed.example/api/deals?state=OH');
  });

  it('logs the charge, and no payment header', async () => {
    const payment = await buyer.sign(url());
    await (await fetchWithPayment(url(), payment)).arrayBuffer();
    const entry = started.requests.find((r) => r.charged !== undefined);
    assert.equal(entry?.charged, '0.05');
    assert.equal(JSON.stringify(started.requests).includes(payment.slice(0, 40)), false);
  });

  describe('with a payment that was sent for settlement', () => {
    /** The facilitator moves the money, and then replies something else. */
    const moved =
      (reply: () => Promise<SettlementHint>) =>
      async (payload: PaymentPayload): Promise<SettlementHint> => {
        facilitator.move(payload);
        return reply();
      };
    const paid: [string, () => Promise<SettlementHint>][] = [
      ['names no transaction: it refused, failed, timed out or sent nonsense', async () => ({ transaction: null })],
      ["names a transaction that is another payment's", async () => ({ transaction: OTHER })],
      [
        'breaks its promise and throws',
        async () => {
          throw new TypeError('fetch failed');
        },
      ],
    ];
    for (const [name, reply] of paid) {
      it(`is sold with the chain's own transaction where the facilitator moved the money and ${name}`, async () => {
        facilitator.onSettle = moved(reply);
        const payment = await buyer.sign(url());
        const response = await fetchWithPayment(url(), payment);
        assert.equal(response.status, 200);
        const [transaction = ''] = facilitator.chain.transactions.values();
        const receipt = JSON.parse(
          Buffer.from(response.headers.get('PAYMENT-RESPONSE') ?? '', 'base64').toString('utf8'),
        ) as Record<string, unknown>;
        assert.deepEqual(receipt, {
          success: true,
          transaction,
          network: 'eip155:8453',
          payer: buyer.address.toLowerCase(),
        });
        const sold = await started.ledger.find({ id: response.headers.get('Receipt-Id') ?? '' });
        assert.deepEqual([sold?.state, sold?.transaction, sold?.block], ['sold', transaction, 1n]);
        assert.equal(await reasonOf(await fetchWithPayment(url(), payment)), 'payment_already_used');
      });
    }

    it('is sold when the chain shows it at a later read within the wait', async () => {
      let looks = 0;
      facilitator.chain.onEvidence = async (payment) => {
        looks += 1;
        return looks < 3 ? { kind: 'open' } : facilitator.chain.shownEvidence(payment);
      };
      assert.equal((await fetchWithPayment(url(), await buyer.sign(url()))).status, 200);
      assert.equal(looks, 3);
    });

    const unknown: [string, SettlementHint, () => Promise<Evidence>, string][] = [
      [
        'the facilitator refused and the chain does not show it',
        { transaction: null },
        async () => ({ kind: 'open' }),
        'not_seen',
      ],
      [
        'the facilitator named a transaction and the chain does not show it',
        { transaction: OTHER },
        async () => ({ kind: 'open' }),
        'not_seen',
      ],
      [
        'the chain cannot be read',
        { transaction: OTHER },
        async () => {
          throw new ChainUnavailable('the node could not be reached');
        },
        'not_seen',
      ],
    ];
    for (const [name, hint, onEvidence, why] of unknown) {
      it(`is neither called failed, nor sold, nor used again, where ${name}`, async () => {
        facilitator.onSettle = async () => hint;
        facilitator.chain.onEvidence = onEvidence;
        const payment = await buyer.sign(url());
        const response = await fetchWithPayment(url(), payment);
        assert.equal(response.status, 502);
        assert.equal(response.headers.get('PAYMENT-RESPONSE'), null);
        const receipt = response.headers.get('Receipt-Id') ?? '';
        const text = await response.text();
        const body = JSON.parse(text) as Record<string, unknown>;
        assert.deepEqual(
          [body['reason'], body['billed'], body['transaction'], 'records' in body],
          ['settlement_unknown', null, hint.transaction ?? undefined, false],
        );
        assert.equal(body['collect'], `https://api.dealfeed.example/api/purchases/${receipt}`);
        assert.doesNotMatch(text, /nothing was charged/i);
        assert.equal(started.requests.at(-1)?.unresolved?.['payer'], buyer.address.toLowerCase());
        const open = await started.ledger.find({ id: receipt });
        assert.deepEqual([open?.state, open?.why, open?.transaction], ['settling', why, hint.transaction]);
        assert.ok(await started.ledger.answerOf(receipt), 'the answer waits for its buyer');
        facilitator.onSettle = async (payload) => ({ transaction: facilitator.move(payload) });
        assert.equal(await reasonOf(await fetchWithPayment(url(), payment)), 'settlement_pending');
        assert.equal(facilitator.settled, 0, 'it is sent once');
      });
    }

    it('that the chain can never settle has an unknown outcome first, and is free for another use then', async () => {
      facilitator.onSettle = async () => ({ transaction: null });
      facilitator.chain.onEvidence = async () => ({ kind: 'void', reason: 'used_elsewhere' });
      const payment = await buyer.sign(url());
      const response = await fetchWithPayment(url(), payment);
      assert.equal(response.status, 502);
      assert.deepEqual(
        [await reasonOf(response.clone()), (await bodyOf(response))['billed']],
        ['settlement_unknown', null],
      );
      const ended = await started.ledger.find({ id: response.headers.get('Receipt-Id') ?? '' });
      assert.deepEqual([ended?.state, ended?.why], ['released', 'used_elsewhere']);
    });
  });
});
