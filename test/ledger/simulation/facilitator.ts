/** A facilitator that does everything a facilitator may do wrong, and says so, or something else, or nothing. */
import type { FacilitatorClient } from '@x402/core/server';
import type { SettleResponse } from '@x402/core/types';
import type { Authorization, Chain, Transaction } from './chain.ts';
import type { World } from './world.ts';

const NETWORK = 'eip155:8453';
const PENDING = 'settlement_pending';

const BEHAVIOURS = [
  'settles', 'settles', 'settles', 'refuses', 'fails before', 'times out', 'settles and drops the answer', 'says pending', 'answers twice', 'says nothing of use', 'lies idempotently',
] as const;

/** @param authorizationOf what a payload of this world stands for */
export function facilitator(world: World, chain: Chain, authorizationOf: (payload: object) => Authorization): FacilitatorClient {
  const pending = new WeakMap<object, Transaction>();
  const success = (t: Transaction): SettleResponse => ({ success: true, transaction: t.hash, network: NETWORK, payer: t.authorization.payer });
  const failure = (errorReason: string, transaction = ''): SettleResponse => ({ success: false, errorReason, transaction, network: NETWORK });
  const said = (t: Transaction): SettleResponse => (t.state === 'done' ? success(t) : failure('invalid_transaction_state', t.hash));

  return {
    verify: async () => { throw new Error('verification is simulated apart'); },
    getSupported: async () => ({ kinds: [], extensions: [], signers: {} }),
    async settle(payload) {
      const authorization = authorizationOf(payload);
      const before = pending.get(payload);
      if (before) {
        // It was asked again for what it had said to be pending.
        if (before.state === 'waiting' && world.calm) chain.mine(before);
        if (before.state !== 'waiting') return said(before);
        return world.pick([failure(PENDING, before.hash), failure('insufficient_funds'), failure('invalid_transaction_state')]);
      }
      const behaviour = world.calm ? 'settles' : world.pick(BEHAVIOURS);
      world.say('facilitator', behaviour);
      const paidBefore = chain.paid(authorization);
      if (behaviour === 'lies idempotently' && paidBefore) return success(paidBefore);
      if (behaviour === 'refuses') return failure('insufficient_funds');
      if (behaviour === 'fails before') throw new Error('connection refused');
      const transaction = chain.send(authorization, 'facilitator');
      switch (behaviour) {
        case 'times out': throw new Error('timeout');
        case 'says pending':
          pending.set(payload, transaction);
          return failure(PENDING, transaction.hash);
        case 'settles and drops the answer':
          chain.mine(transaction);
          throw new Error('socket hang up');
        case 'says nothing of use':
          if (world.random() < 0.5) chain.mine(transaction);
          return failure('unexpected_settle_error', world.random() < 0.5 ? transaction.hash : '');
        case 'answers twice': {
          const second = chain.send(authorization, 'facilitator');
          const both = world.random() < 0.5 ? [transaction, second] as const : [second, transaction] as const;
          for (const t of both) chain.mine(t);
          return said(world.pick(both));
        }
        default:
          await world.gate(null, 'facilitator waits for the block');
          chain.mine(transaction);
          await world.gate(null, 'facilitator answers');
          return said(transaction);
      }
    },
  };
}
