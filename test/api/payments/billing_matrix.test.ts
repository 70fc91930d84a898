/**
 * Billed exactly when the response is 200: each endpoint, with every kind of payment and every outcome. The balances of
 * the token and the ledger show what was billed, and they agree. `make test` takes one endpoint of each
 * kind: a list (also as CSV), a lead and a batch; `make prove` takes all.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { appendPaymentIdentifierToExtensions } from '@x402/extensions/payment-identifier';
import { x402Client } from '@x402/fetch';
import { createPublicClient, http, parseAbi, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from '../support/base.ts';
import { atomicOf, USDC } from '../../../lib/network.ts';
import type { Route } from '../../../api/routes/define.ts';
import { DOLLAR, openShop, type Shop } from '../../support/shop.ts';
import { callOf, rowsOfTable } from '../support/snapshot_fixtures.ts';
import { thorough } from '../../thorough.ts';

/** Kinds of payment in a request: none, valid, and every kind of invalid. */
const PAYMENT_KINDS = [
  'no payment',
  'valid',
  'expired',
  'wrong amount',
  'wrong network',
  'wrong recipient',
  'malformed header',
  'replayed',
  'concurrent replays',
] as const;
type PaymentKind = (typeof PAYMENT_KINDS)[number];

/** Copies of one payment that are sent concurrently. */
const COPIES = 4;

interface Wallet {
  readonly address: Hex;
  /** PAYMENT-SIGNATURE of this kind; undefined for no header. */
  payment(kind: PaymentKind, required: PaymentRequired, identifier?: string): Promise<string | undefined>;
}

const OTHER_ADDRESS = '0x00000000000000000000000000000000000000ee';

/** How the terms are changed before they are signed. */
const CHANGES: Partial<Record<PaymentKind, (terms: PaymentRequirements) => PaymentRequirements>> = {
  'wrong amount': (terms) => ({ ...terms, amount: String(BigInt(terms.amount) - 1n) }),
  'wrong network': (terms) => ({ ...terms, network: 'eip155:84532' }),
  'wrong recipient': (terms) => ({ ...terms, payTo: OTHER_ADDRESS }),
  expired: (terms) => ({ ...terms, maxTimeoutSeconds: -10 }),
};

function createWallet(): Wallet {
  const account = privateKeyToAccount(generatePrivateKey());
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account)).setSpendControls(false);
  return {
    address: account.address,
    async payment(kind, required, identifier) {
      if (kind === 'no payment') return undefined;
      if (kind === 'malformed header') return 'e30=';
      const extensions = structuredClone(required.extensions ?? {});
      if (identifier !== undefined) appendPaymentIdentifierToExtensions(extensions, identifier);
      const accepts = required.accepts.map((terms) => CHANGES[kind]?.(terms) ?? terms);
      const payload = await client.createPaymentPayload({ ...required, accepts, extensions });
      // Signed for a time in the past and sent with the required terms: the signature itself is valid.
      const accepted = kind === 'expired' ? required.accepts[0] : undefined;
      return encodePaymentSignatureHeader({ ...payload, accepted: accepted ?? payload.accepted });
    },
  };
}

const OUTCOMES = ['200', '400', '404', '409', 'handler crash'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** A request of which every kind of payment is offered. */
interface Call {
  readonly label: string;
  readonly route: Route;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The calls of a route: one, and one more as CSV for /api/signals. */
function callsOf(route: Route): Call[] {
  const call = { label: route.path, route, path: callOf(route), headers: {} };
  return route.path === '/api/signals'
    ? [call, { ...call, label: `${route.path} as CSV`, headers: { Accept: 'text/csv' } }]
    : [call];
}

/** What each kind of payment is answered where the handler would give this outcome. */
const EXPECTED: Record<Outcome, (kind: PaymentKind) => readonly number[]> = {
  '200': (kind) =>
    kind === 'valid'
      ? [200]
      : kind === 'replayed'
        ? [409]
        : kind === 'concurrent replays'
          ? [200, ...Array.from({ length: COPIES - 1 }, () => 409)]
          : [402],
  // A bad request is refused whatever is paid.
  '400': (kind) => Array.from({ length: kind === 'concurrent replays' ? COPIES : 1 }, () => 400),
  '404': (kind) => unsold(kind, 404),
  // The buyer's identifier names another purchase.
  '409': (kind) =>
    ['no payment', 'malformed header'].includes(kind)
      ? [402]
      : Array.from({ length: kind === 'concurrent replays' ? COPIES : 1 }, () => 409),
  'handler crash': (kind) => unsold(kind, 500),
};
const unsold = (kind: PaymentKind, status: number): readonly number[] =>
  kind === 'valid' ? [status] : kind === 'replayed' ? [409] : kind === 'concurrent replays' ? [status] : [402];

const SAMPLE: ReadonlySet<string> = new Set(['/api/signals', '/api/leads/exclusive']);

describe('billing', () => {
  let shop: Shop;
  let wallets: Record<PaymentKind, Wallet>;
  /** The payment of each wallet that bought an answer of each endpoint, to be replayed. */
  const spent = new Map<string, string>();
  const identifiers = new Map<PaymentKind, string>();

  before(async () => {
    shop = await openShop({
      mode: 'sandbox',
      tables: {
        deals: rowsOfTable('deals', 3, () => ({ cap_rate: '9.00', dscr: '1.30', dscr_status: 'computed' })),
        reports: rowsOfTable('reports', 3),
        signals: rowsOfTable('signals', 2),
        auctions: rowsOfTable('auctions', 2),
        leads: rowsOfTable('leads', 30),
        owners: rowsOfTable('owners', 2),
        filings: rowsOfTable('filings', 4, (i) => ({
          first_seen: `2026-11-${i % 2 ? '12' : '20'}T12:00:00Z`,
          ...(i > 2 ? { source: 'colorado_sos', source_state: 'CO' } : {}),
        })),
      },
    });
    const made = PAYMENT_KINDS.map((kind) => [kind, createWallet()] as const);
    await Promise.all(made.map(([, wallet]) => shop.chain.mint(wallet.address, 100n * DOLLAR)));
    wallets = Object.fromEntries(made) as Record<PaymentKind, Wallet>;
  });
  after(() => shop.close());

  /** Balances of the seller and of every wallet, in one question to the chain. */
  const balances = async (): Promise<readonly bigint[]> => {
    const client = createPublicClient({ chain: base, transport: http(shop.chain.rpcUrl, { batch: true }) });
    const payTo = shop.servers[0]?.payments.payTo ?? '0x';
    return Promise.all(
      [payTo, ...PAYMENT_KINDS.map((kind) => wallets[kind].address)].map((address: Hex) =>
        client.readContract({
          address: USDC,
          abi: parseAbi(['function balanceOf(address) view returns (uint256)']),
          functionName: 'balanceOf',
          args: [address],
        }),
      ),
    );
  };
  const withQuery = (path: string, query: string): string => path + (path.includes('?') ? '&' : '?') + query;

  const sent = async (url: string, payment: string | undefined, more: Call['headers'] = {}): Promise<number> => {
    const paid = payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment };
    const response = await fetch(url, { headers: { ...more, ...paid } });
    const text = await response.text();
    if (response.status !== 200)
      assert.equal(
        (JSON.parse(text) as { billed: unknown }).billed === false ||
          (JSON.parse(text) as { reason: string }).reason === 'settlement_pending',
        true,
        text,
      );
    return response.status;
  };
  /** Offer one kind of payment, once or in copies at once. */
  const offered = async (
    kind: PaymentKind,
    outcome: Outcome,
    { label, headers }: Call,
    url: string,
    asked: PaymentRequired,
  ): Promise<number[]> => {
    const key = `${kind} ${label}`;
    const identifier = outcome === '409' ? identifiers.get(kind) : undefined;
    if (kind === 'replayed' && outcome !== '409')
      return [await sent(url, spent.get(label) ?? assert.fail(`nothing was bought of ${key}`), headers)];
    const payment = await wallets[kind].payment(kind, asked, identifier);
    if (kind === 'valid' && outcome === '200') spent.set(label, payment ?? '');
    const copies = kind === 'concurrent replays' ? COPIES : 1;
    return Promise.all(Array.from({ length: copies }, () => sent(url, payment, headers)));
  };

  /** Every kind of payment for one endpoint and outcome; then the balances decide. */
  async function row(call: Call, outcome: Outcome, asked: PaymentRequired): Promise<void> {
    const { label, route } = call;
    const url = shop.url + (outcome === '400' ? withQuery(call.path, 'colour=red') : call.path);
    const price = atomicOf(route.price ?? '0.00');
    const start = await balances();
    const statuses = new Map<PaymentKind, number[]>();
    const first = PAYMENT_KINDS.filter((kind) => kind !== 'replayed');
    await Promise.all(
      first.map(async (kind) => {
        statuses.set(kind, await offered(kind, outcome, call, url, asked));
      }),
    );
    statuses.set('replayed', await offered('replayed', outcome, call, url, asked));
    const end = await balances();
    let all = 0n;
    for (const [i, kind] of PAYMENT_KINDS.entries()) {
      const got = [...(statuses.get(kind) ?? [])].sort();
      const where = `${label}, ${kind}, ${outcome}: ${got.join(' ')}`;
      const expected = EXPECTED[outcome](kind);
      // Copies of a payment that buys nothing: one or more are answered, the others find it in use.
      if (kind === 'concurrent replays' && (outcome === '404' || outcome === 'handler crash'))
        assert.ok(got.includes(expected[0] ?? 0) && got.every((s) => s === expected[0] || s === 409), where);
      else assert.deepEqual(got, [...expected].sort(), where);
      const sold = got.filter((s) => s === 200).length;
      assert.equal((start[i + 1] ?? 0n) - (end[i + 1] ?? 0n), price * BigInt(sold), `${where}: charged`);
      all += price * BigInt(sold);
    }
    assert.equal((end[0] ?? 0n) - (start[0] ?? 0n), all, `${label}, ${outcome}: received`);
  }

  it('happens exactly when the answer is 200', async () => {
    const [server] = shop.servers;
    assert.ok(server);
    const all = server.app.routes.filter((r) => r.price !== null);
    const priced = thorough(
      all.filter(({ path }) => SAMPLE.has(path)),
      all,
    );
    const asked = new Map(
      await Promise.all(
        priced.flatMap(callsOf).map(async (call) => {
          const response = await fetch(shop.url + call.path, { headers: call.headers });
          await response.arrayBuffer();
          return [call, decodePaymentRequiredHeader(response.headers.get('PAYMENT-REQUIRED') ?? '')] as const;
        }),
      ),
    );
    const rows = async (outcome: Outcome): Promise<void> => {
      for (const [call, required] of asked) await row(call, outcome, required);
    };
    await rows('200');
    await rows('400');
    // Every wallet names a purchase of its own, of another request.
    const other = asked.entries().find(([{ label }]) => label === '/api/signals')?.[1];
    assert.ok(other);
    for (const kind of PAYMENT_KINDS) {
      const identifier = `matrix-${kind.replaceAll(' ', '-')}-0001`;
      identifiers.set(kind, identifier);
      assert.equal(
        await sent(
          withQuery(`${shop.url}/api/signals`, 'limit=7'),
          await wallets[kind].payment('valid', other, identifier),
        ),
        200,
      );
    }
    await rows('409');

    // HEAD is priced as GET and sells nothing, and a count is free: no payment is taken for either.
    const start = await balances();
    for (const kind of PAYMENT_KINDS.filter((k) => k !== 'replayed')) {
      const payment = await wallets[kind].payment(kind, other);
      const headers = payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment };
      const { status } = await fetch(`${shop.url}/api/signals`, { method: 'HEAD', headers });
      assert.equal(status, ['no payment', 'malformed header'].includes(kind) ? 402 : 400, `HEAD, ${kind}`);
      assert.equal(await sent(`${shop.url}/api/count/signals`, payment), 200, `a count, ${kind}`);
    }
    assert.deepEqual(await balances(), start);

    using lease = server.snapshots.acquire();
    assert.ok(lease);
    const { find, select, openTexts, records } = lease.snapshot;
    const crash = (): never => {
      throw new Error('a crash of the handler');
    };
    Object.assign(lease.snapshot, { find: crash, select: crash, openTexts: crash, records: crash });
    await rows('handler crash');
    Object.assign(lease.snapshot, { find, select, openTexts, records });

    await shop.folder.publish('2026-11-20.02', {});
    await server.snapshots.refresh();
    await rows('404');

    let ledger = 0n;
    for await (const { state, payment } of server.running.ledger.purchases()) {
      assert.equal(state, 'sold');
      ledger += payment.amount;
    }
    assert.equal(ledger, await shop.takings(), 'the ledger is the money on the chain');
  });
});
