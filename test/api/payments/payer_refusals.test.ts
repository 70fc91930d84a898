/** Refusals before a purchase begins: each has its own reason and status, and nobody is charged. All is scripted. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { openSnapshots, type Snapshots } from '../../../api/snapshot/follow.ts';
import { leadLimits } from '../../../api/payments/caps.ts';
import { ChainUnavailable } from '../../../api/payments/chain/chain_errors.ts';
import { FacilitatorUnavailable } from '../../../api/payments/facilitator/facilitator_client.ts';
import { signaturesOf, type Signatures } from '../../../api/payments/chain/signatures.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import { ScriptedFacilitator, startApp, type Started } from '../support/test_app.ts';
import { bodyOf, buyerWith, fetchWithPayment, type Buyer } from '../support/buyers.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';

const LIST = '/api/deals';
const EXCLUSIVE = '/api/leads/exclusive';
const LEADS = 20;
/** Reasons of the transaction that claims a lead. */
const DECIDED_BY_CLAIM = ['too_many_held_leads', 'payer_unbilled_too_often', 'lead_pool_held'];

describe('a purchase is refused before it begins', () => {
  let folder: DataFolder;
  let snapshots: Snapshots;
  let started: Started;
  let facilitator: ScriptedFacilitator;
  let ledger: Ledger;
  let buyer: Buyer;
  let paused: Awaited<ReturnType<Ledger['exclusivePause']>> = null;

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
  /** Contract wallets sign by saying yes. */
  const signatures: Signatures = { ...signaturesOf(null), byContract: async () => true };
  const start = async (acceptsContractWallets = true): Promise<void> => {
    facilitator = new ScriptedFacilitator();
    const real = await openSqliteLedger(':memory:');
    ledger = new Proxy(real, {
      get: (target, name: keyof Ledger) =>
        name === 'exclusivePause' ? async () => paused : (target[name] as (...given: never[]) => unknown).bind(target),
    });
    started = await startApp(folder.path, { facilitator, ledger, acceptsContractWallets, signatures, snapshots });
    buyer = buyerWith();
  };
  beforeEach(() => start());
  afterEach(async () => {
    paused = null;
    await started.close();
    await ledger.close();
  });

  const buys = async (path: string, payer = buyer): Promise<Response> =>
    fetchWithPayment(started.url + path, await payer.sign(started.url + path));
  /** Answers that handlers made so far: the snapshot is read for each. */
  const counted = (): { count: number; end: () => void } => {
    const lease = started.snapshots.acquire();
    assert.ok(lease);
    const { snapshot } = lease;
    const { texts, rows } = snapshot;
    const counter = {
      count: 0,
      end: () => {
        Object.assign(snapshot, { texts, rows });
        lease.release();
      },
    };
    const counting =
      <T extends (...args: never[]) => unknown>(read: T) =>
      (...args: Parameters<T>): unknown => {
        counter.count += 1;
        return read(...args);
      };
    Object.assign(snapshot, { texts: counting(texts), rows: counting(rows) });
    return counter;
  };
  /** Send a payment that is refused for this reason: no handler runs, and no settlement is requested. */
  const refusedFor = async (
    reason: string,
    status: number,
    path = LIST,
    payer = buyer,
  ): Promise<Record<string, unknown>> => {
    const payment = await payer.sign(started.url + path);
    const { settled } = facilitator;
    const runs = counted();
    const response = await fetchWithPayment(started.url + path, payment).finally(() => {
      runs.end();
    });
    const body = await bodyOf(response);
    assert.deepEqual(
      [response.status, body['reason'], body['billed']],
      [status, reason, false],
      String(body['detail']),
    );
    assert.match(String(body['detail']), /Nothing was charged/);
    if (!DECIDED_BY_CLAIM.includes(reason)) assert.equal(runs.count, 0, 'the handler ran');
    assert.equal(facilitator.settled, settled);
    assert.equal(response.headers.has('PAYMENT-REQUIRED'), status === 402);
    if (status === 402) assert.match(String(body['payment_error']), /^[a-z0-9_]{1,80}$/);
    else assert.ok(Number(response.headers.get('Retry-After')) > 0, 'Retry-After');
    return { ...body, seconds: Number(response.headers.get('Retry-After')) };
  };
  /** Purchases that the chain never shows. */
  const leaveOpen = async (path: string, payer: Buyer): Promise<string> => {
    const { onSettle } = facilitator;
    facilitator.onSettle = async () => ({ transaction: null });
    const response = await buys(path, payer);
    facilitator.onSettle = onSettle;
    assert.equal(response.status, 502, await response.text());
    return response.headers.get('Receipt-Id') ?? '';
  };

  it('while the node of the chain cannot be read', async () => {
    const { onPayer } = facilitator.chain;
    facilitator.chain.onPayer = async () => {
      throw new ChainUnavailable('the node could not be reached');
    };
    await refusedFor('payments_unavailable', 503);
    assert.deepEqual(await ledger.unresolved(Number.MAX_SAFE_INTEGER), []);
    facilitator.chain.onPayer = onPayer;
    assert.equal((await buys(LIST)).status, 200);
  });

  it('while the facilitator does not answer', async () => {
    facilitator.onReach = async () => {
      throw new FacilitatorUnavailable('facilitator supported: could not be reached');
    };
    await refusedFor('payments_unavailable', 503);
  });

  it('where the nonce was used or canceled', async () => {
    facilitator.chain.onPayer = async () => ({ hasCode: false, balance: 10n ** 9n, isUsed: true });
    assert.equal((await refusedFor('payment_invalid', 402))['payment_error'], 'invalid_exact_evm_nonce_already_used');
  });

  it('where the payer has too little, open purchases counted', async () => {
    facilitator.chain.onPayer = async () => ({ hasCode: false, balance: 49_999n, isUsed: false });
    await refusedFor('payer_without_funds', 402);
    facilitator.chain.onPayer = async () => ({ hasCode: false, balance: 99_999n, isUsed: false });
    await leaveOpen(LIST, buyer);
    // The handler has not run either: the ledger counts in the transaction that reserves.
    await refusedFor('payer_without_funds', 402);
    assert.equal((await buys(LIST, buyerWith())).status, 200, 'another payer');
  });

  it('where the payer is a contract and the lead exclusive', async () => {
    facilitator.chain.onPayer = async () => ({ hasCode: true, balance: 10n ** 9n, isUsed: false });
    assert.match(
      String((await refusedFor('contract_wallet_refused', 402, EXCLUSIVE))['detail']),
      /exclusive leads are sold to ordinary accounts only\. Pay from an account without code/,
    );
    assert.equal((await buys(LIST)).status, 200);
  });

  it('where the payer is a contract and the server takes none', async () => {
    await started.close();
    await ledger.close();
    await start(false);
    facilitator.chain.onPayer = async () => ({ hasCode: true, balance: 10n ** 9n, isUsed: false });
    for (const path of [LIST, EXCLUSIVE]) await refusedFor('contract_wallet_refused', 402, path);
    facilitator.chain.onPayer = async () => ({ hasCode: false, balance: 10n ** 9n, isUsed: false });
    assert.equal((await buys(LIST)).status, 200);
  });

  it('where the payer has too many purchases open, contracts sooner', async () => {
    for (let i = 0; i < 20; i += 1) await leaveOpen(LIST, buyer);
    await refusedFor('too_many_open_purchases', 429);
    const contract = buyerWith();
    facilitator.chain.onPayer = async () => ({ hasCode: true, balance: 10n ** 9n, isUsed: false });
    for (let i = 0; i < 4; i += 1) await leaveOpen(LIST, contract);
    await refusedFor('too_many_open_purchases', 429, LIST, contract);
    assert.equal((await buys(LIST, buyerWith())).status, 200, 'another payer');
  });

  it('where three leads were let go within a day, whatever the reason; other calls are sold', async () => {
    for (let i = 0; i < 3; i += 1) {
      const id = await leaveOpen(EXCLUSIVE, buyer);
      assert.equal(await ledger.release(id, 'expired_unused', Date.now()), true);
    }
    const { seconds } = await refusedFor('payer_unbilled_too_often', 429, EXCLUSIVE);
    assert.ok(Number(seconds) > 86_300 && Number(seconds) <= 86_400, `Retry-After: ${String(seconds)}`);
    assert.equal((await buys(LIST)).status, 200);
    assert.equal((await buys(EXCLUSIVE, buyerWith())).status, 200, 'another payer');
  });

  it('where the payer, or payers who never bought, hold too many leads', async () => {
    assert.equal((await buys(LIST)).status, 200);
    const { perPayer, byNewPayers } = leadLimits(LEADS);
    for (let i = 0; i < perPayer; i += 1) await leaveOpen(EXCLUSIVE, buyer);
    await refusedFor('too_many_held_leads', 429, EXCLUSIVE);
    // The leads of one who bought before do not count among those that payers who never did may hold together.
    for (let i = 0; i < byNewPayers; i += 1) await leaveOpen(EXCLUSIVE, buyerWith());
    await refusedFor('lead_pool_held', 503, EXCLUSIVE, buyerWith());
    const known = buyerWith();
    assert.equal((await buys(LIST, known)).status, 200);
    assert.equal((await buys(EXCLUSIVE, known)).status, 200, 'who bought before is not held up by who never did');
    assert.equal(
      (await ledger.claimedLeads(Date.now())).size,
      perPayer + byNewPayers + 1,
      'a refused purchase claims no lead',
    );
  });

  it('while exclusive sales are paused after a restore; lists are sold', async () => {
    for (const why of ['restored_not_audited', 'restored_transfers_owed'] as const) {
      paused = why;
      await refusedFor('exclusive_paused', 503, EXCLUSIVE);
      assert.equal((await buys(LIST)).status, 200);
    }
    paused = null;
    assert.equal((await buys(EXCLUSIVE)).status, 200);
  });

  it('and a browser gets a page with the reason', async () => {
    facilitator.chain.onPayer = async () => ({ hasCode: true, balance: 10n ** 9n, isUsed: false });
    const payment = await buyer.sign(started.url + EXCLUSIVE);
    const response = await fetch(started.url + EXCLUSIVE, {
      headers: { 'PAYMENT-SIGNATURE': payment, Accept: 'text/html' },
    });
    const page = await response.text();
    assert.equal(response.status, 402);
    for (const words of [
      'Contract wallets are not accepted here',
      'exclusive leads are sold to ordinary accounts only',
      'Nothing was charged.',
      '<code>contract_wallet_refused</code>',
    ])
      assert.ok(page.includes(words), words);
  });

  it('while the gas of the day is spent', async () => {
    Object.assign(facilitator, { hasBudget: async () => false });
    await refusedFor('settlement_budget_spent', 503);
  });
});
