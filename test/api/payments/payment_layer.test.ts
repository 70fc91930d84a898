/**
 * Responses when the facilitator, the handler, the settlement or the ledger fails, or the payer is at a limit. The
 * chain decides what a buyer gets; the facilitator's reply is only a hint. Both are scripted.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { closing } from '../../../lib/closing.ts';
import { leadLimits } from '../../../api/routes/leads/leads.ts';
import { signaturesOf } from '../../../api/payments/chain/signatures.ts';
import { FacilitatorUnavailable } from '../../../api/payments/facilitator.ts';
import { LedgerUnavailable, type Ledger } from '../../../ledger/ledger.ts';
import { openSnapshots, type Snapshots } from '../../../api/serving/follow.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { ScriptedFacilitator, startApp, type Started, ORDINARY_PAYER } from '../support/test_app.ts';
import { bodyOf, buyerWith, fetchWithPayment, type Buyer } from '../support/buyers.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';

const DEALS = '/api/deals';
const EXCLUSIVE = '/api/leads/exclusive';
const LEADS = 20;

const away = async (): Promise<never> => {
  throw new FacilitatorUnavailable('facilitator: could not be reached');
};

describe('the payment layer', () => {
  let folder: DataFolder;
  let snapshots: Snapshots;
  let started: Started;
  let facilitator: ScriptedFacilitator;
  const buyer = buyerWith();
  const url = (): string => started.url + DEALS;
  const reasonOf = async (response: Response): Promise<unknown> => (await bodyOf(response))['reason'];

  /** Act while the handlers cannot read the snapshot. */
  const whileCrashing = async <T>(action: () => Promise<T>): Promise<T> => {
    using lease = started.snapshots.acquire() ?? assert.fail();
    const { snapshot } = lease;
    const { openTexts, textsInSlices } = snapshot;
    const crash = (): never => {
      throw new Error('a secret of the inside');
    };
    Object.assign(snapshot, { openTexts: crash, textsInSlices: crash });
    return await action().finally(() => Object.assign(snapshot, { openTexts, textsInSlices }));
  };

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', {
      deals: rowsOfTable('deals', 2),
      leads: rowsOfTable('leads', LEADS, (i) => ({ lead_score: i })),
    });
    snapshots = await openSnapshots({ dataDir: folder.path });
  });
  after(async () => {
    snapshots.close();
    await folder.remove();
  });
  beforeEach(async () => {
    facilitator = new ScriptedFacilitator();
    // Contract wallets sign by saying yes.
    const signatures = { ...signaturesOf(null), byContract: async () => true };
    started = await startApp(folder.path, { facilitator, snapshots, signatures });
  });
  afterEach(() => started.close());

  it('starts without its facilitator, sells nothing meanwhile, and recovers without a restart', async () => {
    let now = Date.now();
    const down = new ScriptedFacilitator();
    const answer = down.onSupported;
    down.onSupported = away;
    await using app = closing(await startApp(folder.path, { facilitator: down, nowMs: () => now, snapshots }));
    assert.equal((await fetch(`${app.url}/api/meta`)).status, 200);
    assert.equal((await fetch(`${app.url}/api/deals`)).status, 503);
    assert.equal((await bodyOf(await fetch(`${app.url}/health`)))['status'], 'degraded');
    const status = await fetch(`${app.url}/status`, { headers: { Accept: 'text/html' } });
    assert.match(await status.text(), /<strong>You cannot buy now\.<\/strong> A purchase is refused and not charged/u);
    down.onSupported = answer;
    assert.equal((await fetch(`${app.url}/api/deals`)).status, 503, 'it is not asked again at once');
    now += 6_000;
    assert.equal((await fetch(`${app.url}/api/deals`)).status, 402);
    assert.equal((await bodyOf(await fetch(`${app.url}/health`)))['status'], 'ok');
  });

  it('does not settle while the facilitator is away, or when the handler crashes, and discloses nothing', async () => {
    const payment = await buyer.sign(url());
    facilitator.onReach = away;
    const away503 = await fetchWithPayment(url(), payment);
    assert.deepEqual(
      [away503.status, away503.headers.get('Retry-After'), await reasonOf(away503)],
      [503, '5', 'payments_unavailable'],
    );
    facilitator.onReach = async () => undefined;
    const response = await whileCrashing(() => fetchWithPayment(url(), payment));
    assert.equal(response.status, 500);
    const text = await response.text();
    assert.doesNotMatch(text, /secret|\.ts|at /);
    assert.equal((JSON.parse(text) as Record<string, unknown>)['reason'], 'internal_error');
    assert.equal(facilitator.settled, 0);
    assert.equal((await fetchWithPayment(url(), payment)).status, 200);
  });

  it('reports a copy as used, not invalid, if the first was settled during its check', async () => {
    const payment = await buyer.sign(url());
    const [bothAsked, settled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let asked = 0;
    facilitator.chain.onPayer = async () => {
      asked += 1;
      const isFirst = asked === 1;
      if (!isFirst) bothAsked.resolve();
      await (isFirst ? bothAsked : settled).promise;
      return { ...ORDINARY_PAYER, isUsed: !isFirst };
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
    assert.deepEqual(
      started.requests.flatMap(({ charged }) => charged ?? []),
      ['0.05'],
    );
    assert.ok(!JSON.stringify(started.requests).includes(payment.slice(0, 40)), 'no payment is logged');
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

  describe('refuses a purchase', () => {
    /** A payment of this payer is refused for this reason: no settlement is requested, and nothing is charged. */
    const refusedFor = async (reason: string, status: number, path = DEALS, payer = buyer): Promise<void> => {
      const payment = await payer.sign(started.url + path);
      const { settled } = facilitator;
      const response = await fetchWithPayment(started.url + path, payment);
      const body = await bodyOf(response);
      assert.deepEqual([response.status, body['reason'], body['billed']], [status, reason, false]);
      assert.equal(facilitator.settled, settled);
      assert.ok(Number(response.headers.get('Retry-After')) > 0, 'Retry-After');
    };
    const buys = async (path = DEALS, payer = buyerWith()): Promise<number> =>
      (await fetchWithPayment(started.url + path, await payer.sign(started.url + path))).status;
    /** Purchases that the chain never shows. */
    const leaveOpen = async (count: number, path: string, payerOf: () => Buyer): Promise<void> => {
      const { onSettle } = facilitator;
      facilitator.onSettle = async () => ({ transaction: null });
      for (let i = 0; i < count; i += 1) assert.equal(await buys(path, payerOf()), 502);
      facilitator.onSettle = onSettle;
    };

    it('if the payer has too many open ones, fewer for contracts, before the handler runs', async () => {
      await leaveOpen(20, DEALS, () => buyer);
      await whileCrashing(() => refusedFor('too_many_open_purchases', 429));
      const contract = buyerWith();
      const { onPayer } = facilitator.chain;
      facilitator.chain.onPayer = async () => ({ ...ORDINARY_PAYER, hasCode: true });
      await leaveOpen(4, DEALS, () => contract);
      await refusedFor('too_many_open_purchases', 429, DEALS, contract);
      facilitator.chain.onPayer = onPayer;
      assert.equal(await buys(), 200, 'another payer');
    });

    it('if the payer, or all payers who never bought, hold too many leads', async () => {
      assert.equal(await buys(DEALS, buyer), 200);
      const { perPayer, byNewPayers } = leadLimits(LEADS);
      await leaveOpen(perPayer, EXCLUSIVE, () => buyer);
      await refusedFor('too_many_held_leads', 429, EXCLUSIVE);
      // The leads of one who bought before do not count among those that payers who never did may hold together.
      await leaveOpen(byNewPayers, EXCLUSIVE, buyerWith);
      await refusedFor('lead_pool_held', 503, EXCLUSIVE, buyerWith());
      const known = buyerWith();
      assert.equal(await buys(DEALS, known), 200);
      assert.equal(await buys(EXCLUSIVE, known), 200, 'who bought before is not held up by who never did');
      const held = await started.ledger.heldLeads(Date.now());
      assert.equal(held.size, perPayer + byNewPayers + 1, 'a refused purchase holds no lead');
      for await (const { id, payment } of started.ledger.purchases())
        if (payment.payer === buyer.address.toLowerCase())
          await started.ledger.release(id, 'expired_unused', Date.now());
      await refusedFor('payer_unbilled_too_often', 429, EXCLUSIVE);
    });

    it('while exclusive sales are paused after a restore; lists are sold', async () => {
      const { exclusivePause } = started.ledger;
      for (const why of ['restored_not_audited', 'restored_transfers_owed'] as const) {
        Object.assign(started.ledger, { exclusivePause: async () => why });
        await refusedFor('exclusive_paused', 503, EXCLUSIVE);
        assert.equal(await buys(), 200);
      }
      Object.assign(started.ledger, { exclusivePause });
      assert.equal(await buys(EXCLUSIVE), 200);
    });
  });

  describe('with an unavailable ledger', () => {
    /** Act while these methods of the ledger fail. */
    const without = async <T>(methods: readonly (keyof Ledger)[], action: () => Promise<T>): Promise<T> => {
      const real = { ...started.ledger };
      const locked = async (): Promise<never> => {
        throw new LedgerUnavailable('the ledger is locked');
      };
      Object.assign(started.ledger, Object.fromEntries(methods.map((name) => [name, locked])));
      return action().finally(() => Object.assign(started.ledger, real));
    };

    it('answers 503 and charges nobody; the payment is accepted once the ledger is back', async () => {
      const payment = await buyer.sign(url());
      for (const step of ['find', 'begin', 'startSettling'] as const) {
        const response = await without([step], () => fetchWithPayment(url(), payment));
        assert.deepEqual([response.status, response.headers.get('Retry-After')], [503, '5'], step);
        const { reason, billed, records } = await bodyOf(response);
        assert.deepEqual([reason, billed, records], ['payments_unavailable', false, undefined], step);
      }
      assert.equal(facilitator.settled, 0);
      assert.equal((await fetchWithPayment(url(), payment)).status, 200);
    });

    it('offers no lead that may be sold: lists and discovery answer 503, the rest is served', () =>
      without(['heldLeads'], async () => {
        const discovery = await fetch(`${started.url}/api/meta`);
        assert.deepEqual([discovery.status, await reasonOf(discovery)], [503, 'payments_unavailable']);
        const leads = `${started.url}/api/leads`;
        assert.equal((await fetchWithPayment(leads, await buyer.sign(leads))).status, 503);
        assert.equal((await fetch(`${started.url}/api/deals/ids`)).status, 200);
      }));
  });
});
