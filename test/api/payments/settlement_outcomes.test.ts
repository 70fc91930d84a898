/** The chain decides what a buyer gets; the facilitator's reply is only a hint. Both are scripted. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { PaymentPayload } from '@x402/core/types';
import { ChainUnavailable } from '../../../api/payments/chain/chain_errors.ts';
import type { Evidence } from '../../../api/payments/chain/evidence.ts';
import { openSnapshots, type Snapshots } from '../../../api/snapshot/follow.ts';
import type { SettlementHint } from '../../../api/payments/facilitator/facilitator_client.ts';
import { ScriptedFacilitator, startApp, type Started } from '../support/test_app.ts';
import { bodyOf, buyerWith, fetchWithPayment } from '../support/buyers.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';

const OTHER = `0x${'2'.repeat(64)}`;

describe('a payment that was sent for settlement', () => {
  let folder: DataFolder;
  let snapshots: Snapshots;
  let started: Started;
  let facilitator: ScriptedFacilitator;
  const buyer = buyerWith();
  const url = (): string => `${started.url}/api/deals`;
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

  const faults: [string, () => Promise<{ hasCode: boolean; balance: bigint; isUsed: boolean }>, string][] = [
    ['emptied its account', async () => ({ hasCode: false, balance: 49_999n, isUsed: false }), 'payer_without_funds'],
    ['became a contract', async () => ({ hasCode: true, balance: 10n ** 9n, isUsed: false }), 'payer_changed_code'],
    ['used the nonce, perhaps to pay us', async () => ({ hasCode: false, balance: 0n, isUsed: true }), 'not_seen'],
  ];
  for (const [name, onPayer, why] of faults) {
    it(`notes that the payer ${name} in the meantime`, async () => {
      facilitator.onSettle = async () => {
        facilitator.chain.onPayer = onPayer;
        return { transaction: null };
      };
      const response = await fetchWithPayment(url(), await buyer.sign(url()));
      assert.equal(response.status, 502);
      assert.equal((await started.ledger.find({ id: response.headers.get('Receipt-Id') ?? '' }))?.why, why);
    });
  }
});
