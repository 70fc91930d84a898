/**
 * A facilitator that fails in every way a facilitator can. Its client turns each reply into a hint: a hash,
 * none, or that there was no reply. Of several, the real client of the server asks another one after no reply.
 */
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { preferredFacilitator, type SettlementHint } from '../../../api/payments/facilitator.ts';
import type { Payment } from '../../../ledger/ledger.ts';
import type { Chain, Transaction } from './chain.ts';
import type { World } from './world.ts';

const BEHAVIORS = [
  ...Array.from({ length: 5 }, () => 'settles' as const),
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
const hintOf = ({ hash }: Transaction): SettlementHint => ({ transaction: hash });

/** A contract wallet uses the same signature for all of its payments. */
export type Settle = (payment: Payment, signature: string) => Promise<SettlementHint>;

function facilitator(world: World, chain: Chain): Settle {
  /** The transaction it sent first for each signature. */
  const bySignature = new Map<string, Transaction>();
  /** Payments that it will settle together with the next ones. */
  const collected: Payment[] = [];
  const send = (payments: readonly Payment[], signature: string): Transaction => {
    const sent = chain.send(
      payments.map((payment) => ['pay', payment]),
      'facilitator',
    );
    if (!bySignature.has(signature)) bySignature.set(signature, sent);
    return sent;
  };
  const mined = async (transaction: Transaction): Promise<SettlementHint> => {
    await world.gate(null, 'facilitator waits for the block');
    chain.mine([transaction]);
    await world.gate(null, 'facilitator answers');
    return hintOf(transaction);
  };
  const settleSeveral = async (payment: Payment, signature: string): Promise<SettlementHint> => {
    collected.push(payment);
    if (world.random() < 0.4) {
      await world.gate(null, 'facilitator waits for more');
      const has = ({ sender, calls }: Transaction): boolean =>
        sender === 'facilitator' && calls.some(([, terms]) => terms === payment);
      if (!collected.includes(payment))
        return hintOf(chain.transactions.findLast(has) ?? world.pick(chain.transactions));
    }
    return mined(send(collected.splice(0), signature));
  };
  return async (payment, signature) => {
    const first = bySignature.get(signature);
    if (first && world.random() < BY_SIGNATURE) {
      world.log('facilitator', 'knows this signature');
      return hintOf(first);
    }
    const behavior = world.calm ? 'settles' : world.pick(BEHAVIORS);
    world.log('facilitator', behavior);
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
        return settleSeveral(payment, signature);
      case 'answers twice': {
        const pair = [send([payment], signature), send([payment], signature)];
        chain.mine(world.random() < 0.5 ? pair : pair.toReversed());
        return hintOf(world.pick(pair));
      }
      default:
    }
    const sent = send([payment], signature);
    switch (behavior) {
      case 'refuses and settles later':
        return NOTHING;
      case 'times out':
        return NO_REPLY;
      case 'malformed reply':
        if (world.random() < 0.5) chain.mine([sent]);
        return NO_REPLY;
      case 'refuses after settling':
        chain.mine([sent]);
        return NOTHING;
      default:
        return mined(sent);
    }
  };
}

/** Settling through several facilitators in order of preference, by the server's own rules. */
export function settleThrough(count: number, world: World, chain: Chain): Settle {
  const clients = Array.from({ length: count }, () => {
    const settle = facilitator(world, chain);
    return {
      settle: (payload: unknown) => settle(...(payload as Parameters<Settle>)),
      supported: async () => true,
    };
  });
  const preferred = preferredFacilitator(clients, () => world.nowMs);
  return (...signed) => preferred.settle(signed as unknown as PaymentPayload, {} as PaymentRequirements);
}
