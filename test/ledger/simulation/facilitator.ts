/**
 * A facilitator that fails in every way a facilitator can. Its client turns each reply into a hint: a hash,
 * none, or that there was no reply. Of several, the real client of the server asks another one after no reply.
 */
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { preferredFacilitator, type SettlementHint } from '../../../api/payments/facilitator/facilitator.ts';
import type { Payment } from '../../../ledger/ledger.ts';
import type { Chain, Transaction } from './chain.ts';
import type { World } from './world.ts';

const BEHAVIORS = [
  'settles',
  'settles',
  'settles',
  'settles',
  'settles',
  'refuses',
  'refuses after settling',
  'refuses and settles later',
  'names another transaction',
  'names a made-up hash',
  'answers twice',
  'drops',
  'times out',
  'malformed reply',
  'settles several at once',
  'settles several at once',
] as const;
/** Chance that it treats a repeated signature as the same payment. */
const BY_SIGNATURE = 0.6;
const NOTHING: SettlementHint = { transaction: null };
/** No usable reply: another facilitator may be asked. */
const NO_REPLY: SettlementHint = { transaction: null, hasFailed: true };

export class Facilitator {
  readonly #world: World;
  readonly #chain: Chain;
  /** The transaction it sent first for each signature. */
  readonly #bySignature = new Map<string, Transaction>();
  /** Payments that it will settle together with the next ones. */
  #collected: Payment[] = [];

  constructor(world: World, chain: Chain) {
    this.#world = world;
    this.#chain = chain;
  }

  async settle(payment: Payment, signature: string): Promise<SettlementHint> {
    const [world, chain] = [this.#world, this.#chain];
    const first = this.#bySignature.get(signature);
    if (first && world.random() < BY_SIGNATURE) {
      world.log('facilitator', 'knows this signature');
      return { transaction: first.hash };
    }
    const behavior = world.calm ? 'settles' : world.pick(BEHAVIORS);
    world.log('facilitator', behavior);
    const hintOf = (t: Transaction): SettlementHint => ({ transaction: t.hash });
    switch (behavior) {
      case 'refuses':
        return NOTHING;
      case 'drops':
        return NO_REPLY;
      case 'names another transaction':
        return chain.transactions.length === 0 ? NOTHING : hintOf(world.pick(chain.transactions));
      case 'names a made-up hash':
        return { transaction: `0x${'f00d'.repeat(16)}` };
      case 'settles several at once':
        this.#collected.push(payment);
        if (world.random() < 0.4) {
          await world.gate(null, 'facilitator waits for more');
          if (!this.#collected.includes(payment)) {
            return hintOf(
              chain.transactions.findLast(
                (t) =>
                  t.sender === 'facilitator' && t.calls.some((c) => c.kind === 'pay' && c.authorization === payment),
              ) ?? world.pick(chain.transactions),
            );
          }
        }
        return this.#mined(this.#send(this.#collected.splice(0), signature));
      case 'answers twice': {
        const pair = [this.#send([payment], signature), this.#send([payment], signature)];
        chain.mine(world.random() < 0.5 ? pair : pair.toReversed());
        return hintOf(world.pick(pair));
      }
      default: {
        const transaction = this.#send([payment], signature);
        switch (behavior) {
          case 'refuses and settles later':
            return NOTHING;
          case 'times out':
            return NO_REPLY;
          case 'malformed reply':
            if (world.random() < 0.5) chain.mine([transaction]);
            return NO_REPLY;
          case 'refuses after settling':
            chain.mine([transaction]);
            return NOTHING;
          default:
            return this.#mined(transaction);
        }
      }
    }
  }

  #send(payments: readonly Payment[], signature: string): Transaction {
    const transaction = this.#chain.send(
      payments.map((authorization) => ({ kind: 'pay', authorization })),
      'facilitator',
    );
    if (!this.#bySignature.has(signature)) this.#bySignature.set(signature, transaction);
    return transaction;
  }

  async #mined(transaction: Transaction): Promise<SettlementHint> {
    await this.#world.gate(null, 'facilitator waits for the block');
    this.#chain.mine([transaction]);
    await this.#world.gate(null, 'facilitator answers');
    return { transaction: transaction.hash };
  }
}

export type Settle = (payment: Payment, signature: string) => Promise<SettlementHint>;

/** Settling through several facilitators in order of preference, by the server's own rules. */
export function settleThrough(facilitators: readonly Facilitator[], world: World): Settle {
  interface Signed {
    readonly payment: Payment;
    readonly signature: string;
  }
  const preferred = preferredFacilitator(
    facilitators.map((facilitator) => ({
      settle: (payload) => {
        const { payment, signature } = payload as unknown as Signed;
        return facilitator.settle(payment, signature);
      },
      supported: async () => true,
    })),
    () => world.nowMs,
  );
  return (payment, signature) =>
    preferred.settle({ payment, signature } as unknown as PaymentPayload, {} as PaymentRequirements);
}
