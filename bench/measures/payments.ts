/**
 * What the payment layer adds to a call: a paid call less the same call of the same handler without payments, for ours
 * with its ledger on disk and for the official Express middleware, which writes nothing down. Both have the same
 * facilitator in their own process: one that approves everything without looking, so that only the layers are
 * compared, or x402's own on a test chain, which verifies and settles as it does for a buyer. Every payment and every
 * answer is another one.
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { NETWORK } from '../../lib/network.ts';
import { startChain, type Chain } from '../../api/payments/local_chain/chain.ts';
import { fetchPaymentRequired } from '../../test/api/support/buyers.ts';
import { callerOf, processorMs, type Call, type Timed } from '../calls.ts';
import { defineBench, summaryOf, type Bench, type Size } from '../contract.ts';
import { startProgram, type Program } from '../programs.ts';
import { paymentFor } from '../servers/approving.ts';

/** Calls of each kind in one repetition, made in turns of so many. */
const APPROVED: Readonly<Record<Size, { readonly calls: number; readonly turn: number }>> = {
  full: { calls: 2400, turn: 200 },
  quick: { calls: 300, turn: 50 },
};
const SETTLED: typeof APPROVED = { full: { calls: 160, turn: 32 }, quick: { calls: 64, turn: 32 } };

/** Milliseconds in which the disk of `folder` makes a page durable: what no ledger can do without. */
function syncMs(folder: string): number {
  const file = join(folder, 'sync');
  const handle = openSync(file, 'w');
  const took: number[] = [];
  for (let i = 0; i < 50; i += 1) {
    writeSync(handle, Buffer.alloc(4096, i), 0, 4096, i * 4096);
    const startedMs = performance.now();
    fdatasyncSync(handle);
    took.push(performance.now() - startedMs);
  }
  closeSync(handle);
  rmSync(file);
  return summaryOf(took).median;
}

/** One server, its calls with and without payment. */
interface Side {
  readonly paid: Timed[];
  readonly free: Timed[];
  /** Processor time of the calls with payment, and of those without. */
  readonly processor: { paid: number; free: number };
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;
const added = ({ paid, free }: Side, figure: 'mean' | 'p50'): number =>
  meanOf(paid.map((t) => t[figure])) - meanOf(free.map((t) => t[figure]));

/** A wallet with test money on the chain, and payments signed by it. */
async function walletOn(chain: Chain): Promise<(asked: PaymentRequired) => Promise<string>> {
  const account = privateKeyToAccount(generatePrivateKey());
  await chain.mint(account.address, 10n ** 12n);
  const client = new x402Client()
    .register(NETWORK, new ExactEvmScheme(account))
    .setSpendControls({ maxAmountPerPayment: '$2' });
  return async (asked) => encodePaymentSignatureHeader(await client.createPaymentPayload(asked));
}

interface Wanted {
  readonly name: string;
  readonly bytes: number;
  readonly connections: number;
  readonly onChain?: boolean;
  readonly fullOnly?: boolean;
}

const bench = ({ name, bytes, connections, onChain = false, fullOnly = false }: Wanted): Bench =>
  defineBench({
    name,
    what: `added by our payment layer, ledger on disk: ${bytes / 1000} kB, ${connections === 1 ? 'one connection' : `${connections} connections`}${onChain ? ', verified and settled on a chain' : ''}`,
    baseline: 'added by @x402/express with the same facilitator and handler, which writes nothing down',
    unit: 'ms a call',
    target: { atMost: 1 },
    limits: { p50_ratio: { atMost: 1, unit: 'ours/baseline' } },
    repetitions: { full: 7, quick: 2 },
    fullOnly,
    async open(size) {
      const folder = mkdtempSync(join(tmpdir(), 'dealfeed-bench-payments-'));
      const { calls: wanted, turn: inTurn } = (onChain ? SETTLED : APPROVED)[size];
      const chain = onChain ? await startChain() : undefined;
      const node = chain ? [chain.rpcUrl] : [];
      const sign = chain
        ? await walletOn(chain)
        : (asked: PaymentRequired) => paymentFor(asked.accepts[0] as PaymentRequirements);
      const programs: readonly Program[] = [
        await startProgram('paid_koa.ts', [String(bytes), join(folder, 'ledger.sqlite'), ...node]),
        await startProgram('paid_express.ts', [String(bytes), ...node]),
      ];
      const sides = await Promise.all(
        programs.map(async (program) => ({
          program,
          caller: callerOf(program.url, connections),
          asked: await fetchPaymentRequired(`${program.url}/paid`),
        })),
      );
      const turn = async (calls: number): Promise<Side[]> => {
        const seen: Side[] = [];
        for (const { program, caller, asked } of sides) {
          const side: Side = { paid: [], free: [], processor: { paid: 0, free: 0 } };
          const timed = async (kind: 'paid' | 'free', made: readonly Call[]): Promise<void> => {
            const beforeMs = processorMs(program.pid) ?? Number.NaN;
            side[kind].push(await caller.time(made));
            side.processor[kind] += (processorMs(program.pid) ?? Number.NaN) - beforeMs;
          };
          await timed(
            'free',
            Array.from({ length: calls }, () => ({ path: '/free' })),
          );
          // Signed before the clock starts.
          await timed(
            'paid',
            await Promise.all(
              Array.from({ length: calls }, async () => ({
                path: '/paid',
                headers: { 'payment-signature': await sign(asked) },
              })),
            ),
          );
          seen.push(side);
        }
        return seen;
      };
      for (let i = 0; i < 3; i += 1) await turn(wanted / 2);
      return {
        async measure() {
          const whole: Side[] = sides.map(() => ({ paid: [], free: [], processor: { paid: 0, free: 0 } }));
          for (let made = 0; made < wanted; made += inTurn) {
            for (const [i, side] of (await turn(inTurn)).entries()) {
              const all = whole[i];
              if (!all) continue;
              all.paid.push(...side.paid);
              all.free.push(...side.free);
              all.processor.paid += side.processor.paid;
              all.processor.free += side.processor.free;
            }
          }
          const [ours, theirs] = whole;
          if (!ours || !theirs) throw new Error('two servers are compared');
          const processorOf = ({ processor }: Side): number => (processor.paid - processor.free) / wanted;
          return {
            ours: added(ours, 'mean'),
            baseline: added(theirs, 'mean'),
            also: {
              p50_ratio: added(ours, 'p50') / added(theirs, 'p50'),
              ours_added_p50_ms: added(ours, 'p50'),
              baseline_added_p50_ms: added(theirs, 'p50'),
              ours_paid_ms: meanOf(ours.paid.map((t) => t.mean)),
              baseline_paid_ms: meanOf(theirs.paid.map((t) => t.mean)),
              ours_paid_per_s: meanOf(ours.paid.map((t) => t.rate)),
              baseline_paid_per_s: meanOf(theirs.paid.map((t) => t.rate)),
              ours_processor_ms: processorOf(ours),
              baseline_processor_ms: processorOf(theirs),
              disk_sync_ms: syncMs(folder),
            },
          };
        },
        async close() {
          await Promise.all(sides.map(({ caller }) => caller.close()));
          await Promise.all(programs.map((program) => program.stop()));
          await chain?.close();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  });

const SHORT = 2_000;
const LIST = 200_000;

export default [
  bench({ name: 'payments_one', bytes: SHORT, connections: 1 }),
  bench({ name: 'payments_sixteen', bytes: SHORT, connections: 16 }),
  bench({ name: 'payments_list_one', bytes: LIST, connections: 1, fullOnly: true }),
  bench({ name: 'payments_list_sixteen', bytes: LIST, connections: 16 }),
  bench({ name: 'payments_chain_one', bytes: SHORT, connections: 1, onChain: true, fullOnly: true }),
  bench({ name: 'payments_chain_sixteen', bytes: SHORT, connections: 16, onChain: true, fullOnly: true }),
];
