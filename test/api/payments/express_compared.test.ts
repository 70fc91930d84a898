/**
 * This layer beside the official Express middleware: the same status, headers and billing, except where that one is
 * wrong or does nothing. The differences are in express_differences.json, which WRITE=1 writes.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { FacilitatorClient } from '@x402/core/server';
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types';
import { startChain, type Chain } from '../../../api/payments/local_chain/chain.ts';
import { libraryFacilitator } from '../../shop/facilitators.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import {
  COMPARED_HEADERS,
  expressTarget,
  HANDLERS,
  ourTarget,
  compared,
  comparedWithHost,
  hosted,
  type ComparedResponse,
  type Observed,
  type Target,
} from '../support/express_comparison.ts';
import { COPIES, PAYMENT_KINDS, createWallet, type PaymentKind, type Wallet } from '../support/payment_variants.ts';

const PRICE = 50_000n;
/** What each layer does in each situation in which they differ. */
const EXPECTED = new URL('../support/express_differences.json', import.meta.url);

/** The reason for each difference, by situation. */
const BECAUSE: Record<string, string> = {
  'any answer that is sold':
    'A paid answer has a receipt and can be collected again; the digest and no-transform protect its bytes.',
  'wrong amount': 'The refusal is the same. The cause is a code, never the text of a library.',
  'wrong network': 'The same.',
  'wrong recipient': 'The same.',
  'malformed header': 'The error code says that the header cannot be parsed.',
  replayed:
    'The payment is refused as used, before the handler runs and the facilitator is called. ' +
    '(The charge is that of the first use.)',
  'concurrent replays': 'One payment runs the handler once; the copies get "in progress", not "invalid".',
  'copies of a payment, a facilitator that gives the same reply to each':
    'One payment buys one answer, independent of the facilitator.',
  'HEAD without a payment': 'HEAD runs the handler of GET, so it requires payment like GET.',
  'HEAD with a payment': 'An answer without a body is not sold.',
  'a payment that stays valid for ten years': 'Someone could hold it back and settle it at any time.',
  'unavailable verification':
    'Our own node checks the payment. A facilitator can settle what it sees, so it sees it once, to settle it.',
  'settled, and the reply was lost':
    'The chain shows the payment, so the buyer gets the answer, independent of the facilitator.',
  'a settlement that is still pending':
    'Pending is not failure. The outcome is unknown until the chain shows the payment; then the answer can be ' +
    'collected. (This payment is never settled, so nobody is charged.)',
  'a settlement that is refused':
    'A refusal proves nothing: the transfer may still arrive. The outcome is unknown until the chain shows it. ' +
    '(This payment is never settled, so nobody is charged.)',
  'a caller that names another host': 'The URL of the resource is the configured one, independent of the request.',
  'a browser': 'The application, not the payment layer, decides the format of a refusal.',
};

describe('compared with the official Express middleware', () => {
  let chain: Chain;
  let ledger: Ledger;
  let wallet: Wallet;
  let targets: readonly Target[];
  let real: FacilitatorClient;
  /** The one facilitator of both, whose steps a situation may replace. */
  const facilitator: FacilitatorClient = {
    verify: (...args) => steps.verify(...args),
    settle: (...args) => steps.settle(...args),
    getSupported: () => real.getSupported(),
  };
  type Steps = Pick<FacilitatorClient, 'verify' | 'settle'>;
  let steps: Steps;

  before(async () => {
    chain = await startChain();
    real = libraryFacilitator({ rpcUrl: chain.rpcUrl, key: chain.gasKey, pollingMs: 25 });
    steps = real;
    ledger = await openSqliteLedger(':memory:');
    wallet = createWallet();
    await chain.mint(wallet.address, 1_000_000_000n);
    targets = [
      await expressTarget(facilitator, '0x00000000000000000000000000000000000000e1'),
      await ourTarget(facilitator, chain.reader, '0x00000000000000000000000000000000000000a1', ledger),
    ];
  });
  after(async () => {
    for (const target of targets) await target.close();
    await ledger.close();
    await chain.close();
  });

  const payFor = async (target: Target, path: string, kind: PaymentKind = 'valid'): Promise<string | undefined> => {
    const { required } = await compared(target.url + path);
    assert.ok(required);
    return wallet.payment(kind, required);
  };
  /** What happened, in the words of the expected differences. */
  const observe = async (
    target: Target,
    act: (target: Target) => Promise<ComparedResponse | readonly ComparedResponse[]>,
  ): Promise<Observed> => {
    target.handlerRuns();
    const start = await chain.balanceOf(target.payTo);
    const acted = await act(target);
    const all = Array.isArray(acted) ? (acted as readonly ComparedResponse[]) : [acted as ComparedResponse];
    const charged = ((await chain.balanceOf(target.payTo)) - start) / PRICE;
    const statuses = all
      .map((s) => s.status)
      .sort()
      .join(' ');
    const words = new Set(all.flatMap((s) => (s.required?.error === undefined ? [] : [s.required.error])));
    const headers = COMPARED_HEADERS.filter((name) => all.some((s) => s.headers.has(name)));
    return {
      text: [
        statuses,
        charged === 0n ? 'not charged' : `charged ${charged}x`,
        target.handlerRuns() > 0 ? 'handler ran' : '',
        [...words].map((w) => `"${w}"`).join(' '),
        headers.join(', '),
      ]
        .filter(Boolean)
        .join('; '),
      seen: all,
    };
  };
  const both = async (
    act: (target: Target) => Promise<ComparedResponse | readonly ComparedResponse[]>,
  ): Promise<readonly [Observed, Observed]> => {
    const [express, ours] = targets;
    assert.ok(express && ours);
    return [await observe(express, act), await observe(ours, act)];
  };
  const withSteps = async <T>(changed: Partial<Steps>, work: () => Promise<T>): Promise<T> => {
    steps = { ...bound(), ...changed };
    try {
      return await work();
    } finally {
      steps = real;
    }
  };
  const bound = (): Steps => ({ verify: (...args) => real.verify(...args), settle: (...args) => real.settle(...args) });

  it('answers and bills alike in every case of the matrix but those named', async (t) => {
    const differences = new Map<string, { express: string; ours: string }>();
    let same = 0;
    const compare = (situation: string, [express, ours]: readonly [Observed, Observed]): void => {
      if (express.text === ours.text) {
        same += 1;
        return;
      }
      differences.set(situation, { express: express.text, ours: ours.text });
    };
    /** Without what an answer that is sold carries beside: told once. */
    const bare = ({ text, seen: all }: Observed): Observed => ({
      text: text.replaceAll(/, (Receipt-Id|Repr-Digest|Unencoded-Digest|Delivery)/g, ''),
      seen: all,
    });

    for (const [path, status] of Object.entries(HANDLERS)) {
      for (const kind of PAYMENT_KINDS) {
        const act = async (target: Target): Promise<ComparedResponse | readonly ComparedResponse[]> => {
          const payment = kind === 'replayed' ? await payFor(target, '/ok') : await payFor(target, path, kind);
          if (kind === 'replayed') await compared(`${target.url}/ok`, { payment });
          if (kind === 'concurrent replays')
            return Promise.all(Array.from({ length: COPIES }, () => compared(target.url + path, { payment })));
          return compared(target.url + path, { payment });
        };
        const [express, ours] = await both(act);
        // Nobody is charged for what is no 200, by either.
        const charges = kind === 'replayed' || (status === 200 && (kind === 'valid' || kind === 'concurrent replays'));
        for (const { text } of [express, ours])
          assert.match(text, charges ? /charged 1x/ : /not charged/, `${path} ${kind}: ${text}`);
        if (kind === 'concurrent replays' && status !== 200) {
          // The copies of a payment that buys nothing: which of them are answered at all is told above.
          assert.ok(
            ours.seen.some((s) => s.status === status) &&
              ours.seen.every((s) => s.status === status || s.status === 409),
          );
          continue;
        }
        compare(
          kind === 'valid' && status === 200 ? 'any answer that is sold' : kind,
          kind === 'valid' && status === 200 ? [express, ours] : [bare(express), bare(ours)],
        );
        if (kind !== 'concurrent replays' && express.seen[0]?.required && ours.seen[0]?.required) {
          const of = (s: ComparedResponse | undefined): unknown =>
            s?.required?.accepts.map((a) => ({ ...a, payTo: '' }));
          assert.deepEqual(of(ours.seen[0]), of(express.seen[0]), `${path} ${kind}: what is asked for`);
        }
      }
    }

    compare('HEAD without a payment', await both((target) => compared(`${target.url}/ok`, { method: 'HEAD' })));
    compare(
      'HEAD with a payment',
      await both(async (target) =>
        compared(`${target.url}/ok`, { method: 'HEAD', payment: await payFor(target, '/ok') }),
      ),
    );
    compare(
      'a payment that stays valid for ten years',
      await both(async (target) => {
        const { required } = await compared(`${target.url}/ok`);
        assert.ok(required);
        const [terms] = required.accepts;
        const long = await wallet.payment('valid', {
          ...required,
          accepts: required.accepts.map((a) => ({ ...a, maxTimeoutSeconds: 10 * 365 * 86_400 })),
        });
        const payload = JSON.parse(Buffer.from(long ?? '', 'base64').toString('utf8')) as PaymentPayload;
        return compared(`${target.url}/ok`, {
          payment: Buffer.from(JSON.stringify({ ...payload, accepted: terms })).toString('base64'),
        });
      }),
    );
    compare(
      'unavailable verification',
      await both(async (target) => {
        const payment = await payFor(target, '/ok');
        return withSteps(
          {
            verify: async () => {
              throw new TypeError('fetch failed');
            },
          },
          () => compared(`${target.url}/ok`, { payment }),
        );
      }),
    );
    compare(
      'settled, and the reply was lost',
      await both(async (target) => {
        const payment = await payFor(target, '/ok');
        const lost = async (...args: [PaymentPayload, PaymentRequirements]): Promise<SettleResponse> => {
          await real.settle(...args);
          throw new TypeError('fetch failed');
        };
        return withSteps({ settle: lost }, () => compared(`${target.url}/ok`, { payment }));
      }),
    );
    compare(
      'a settlement that is still pending',
      await both(async (target) => {
        const payment = await payFor(target, '/ok');
        const pending = async (): Promise<SettleResponse> => ({
          success: false,
          errorReason: 'settlement_pending',
          transaction: `0x${'2'.repeat(64)}`,
          network: 'eip155:8453',
        });
        return withSteps({ settle: pending }, () => compared(`${target.url}/ok`, { payment }));
      }),
    );
    compare(
      'a settlement that is refused',
      await both(async (target) => {
        const payment = await payFor(target, '/ok');
        const refused = async (): Promise<SettleResponse> => ({
          success: false,
          errorReason: 'invalid_exact_evm_insufficient_balance',
          transaction: '',
          network: 'eip155:8453',
        });
        return withSteps({ settle: refused }, () => compared(`${target.url}/ok`, { payment }));
      }),
    );
    compare(
      'copies of a payment, a facilitator that gives the same reply to each',
      await both(async (target) => {
        const payment = await payFor(target, '/ok');
        let settled: Promise<SettleResponse> | undefined;
        const once = (...args: [PaymentPayload, PaymentRequirements]): Promise<SettleResponse> =>
          (settled ??= real.settle(...args));
        return withSteps({ verify: async () => ({ isValid: true, payer: wallet.address }), settle: once }, () =>
          Promise.all(Array.from({ length: COPIES }, () => compared(`${target.url}/ok`, { payment }))),
        );
      }),
    );
    const evil = await both((target) => comparedWithHost(`${target.url}/ok`, 'evil.example'));
    compare('a caller that names another host', [hosted(evil[0], targets[0]), hosted(evil[1], targets[1])]);
    const browser = { Accept: 'text/html,application/xhtml+xml', 'User-Agent': 'Mozilla/5.0' };
    compare(
      'a browser',
      (await both((target) => compared(`${target.url}/ok`, { headers: browser }))).map((o) => ({
        ...o,
        text: `${o.text}; ${o.seen[0]?.body.startsWith('<') ? 'an HTML page' : 'JSON'}`,
      })) as [Observed, Observed],
    );

    t.diagnostic(`${same} situations alike, ${differences.size} different: ${[...differences.keys()].join('; ')}`);
    assert.deepEqual(
      [...differences.keys()].sort(),
      Object.keys(BECAUSE).sort(),
      'the differences are those that are explained',
    );
    const found = {
      same,
      differences: Object.fromEntries(Object.keys(BECAUSE).map((key) => [key, differences.get(key)])),
    };
    if (process.env['WRITE'] === '1') await writeFile(EXPECTED, `${JSON.stringify(found, null, 2)}\n`);
    assert.deepEqual(
      found,
      JSON.parse(await readFile(EXPECTED, 'utf8')),
      'stale: WRITE=1 node --test test/api/payments/express_compared.test.ts',
    );
  });
});
