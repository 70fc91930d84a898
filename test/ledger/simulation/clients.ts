/** Clients of the server: buyers with different habits, and a stranger who knows everything that is public. */
import type { Payment } from '../../../ledger/ledger.ts';
import { sha256 } from '../purchases.ts';
import { PAY_TO, type Call, type Chain } from './chain.ts';
import type { Request } from './planted.ts';
import { EXCLUSIVE, type Reply, type Server } from './server.ts';
import type { Process, World } from './world.ts';

export const STRANGER = `0x${'bad0'.repeat(10)}`;
const [EXCLUSIVE_SECONDS, OTHER_SECONDS] = [60, 300];
const MAX_TRIES = 4;
/** Chance that a buyer acts by its habit during a request. */
const ACTS = 0.35;

/** What a buyer does in addition to buying. */
export type Habit =
  | 'ordinary'
  /** Signs more than it has. */
  | 'poor'
  /** A contract wallet with one signature for all payments, which it accepts or not. */
  | 'contract'
  /** Cancels its authorization, or spends the nonce elsewhere. */
  | 'cancels'
  /** Moves its money away. */
  | 'drains'
  /** An ordinary account that becomes a contract wallet. */
  | 'turns';
const ORDINARY: readonly Habit[] = ['ordinary', 'ordinary', 'ordinary'];
export const HABITS: readonly Habit[] = [...ORDINARY, 'poor', 'contract', 'contract', 'cancels', 'drains', 'turns'];

export interface Scene {
  readonly world: World;
  readonly chain: Chain;
  readonly server: Server;
  readonly processes: readonly Process[];
  /** Requests of buyers. */
  readonly requests: Request[];
}

export const walletOf = (name: string): string => `0x${sha256(name).slice(0, 40)}`;

/**
 * Spend a signed payment without the server, and mine the transaction at once: anyone who sees an unmined one could
 * present the payment.
 */
export function spend({ world, chain }: Scene, payment: Payment, asSigned = false): void {
  const own: Call = ['pay', payment];
  const elsewhere: Call = ['pay', { ...payment, payTo: STRANGER }];
  const toUs: Call = ['move', payment];
  const otherNonce = asSigned ? '' : chain.signed(payment.payer, 0).nonce;
  const calls: readonly Call[] = asSigned
    ? [own]
    : world.pick<readonly Call[]>([
        [own],
        [own],
        [elsewhere],
        [['cancel', payment]],
        [['pay', { ...payment, amount: payment.amount / 2n }]],
        [elsewhere, toUs],
        [toUs],
        // The same terms with another nonce, next to the nonce that is spent elsewhere.
        [elsewhere, ['pay', { ...payment, nonce: otherNonce }]],
      ]);
  chain.mine([chain.send(calls, 'payer')]);
}

/** What a buyer with this habit does while it waits for its answer. */
async function actByHabit(scene: Scene, habit: Habit, payment: Payment): Promise<void> {
  const { world, chain } = scene;
  const { payer } = payment;
  for (let wait = world.below(8); wait > 0; wait -= 1) await world.gate(null, 'a buyer waits');
  const wallet = chain.wallets.get(payer);
  if (habit === 'cancels') spend(scene, payment);
  else if (habit === 'drains')
    chain.mine([chain.send([['move', { ...payment, payTo: STRANGER, amount: chain.balanceOf(payer) }]], 'payer')]);
  else if (habit === 'turns' && !wallet) chain.wallets.set(payer, { accepts: world.random() < 0.3, wasBorn: false });
  else if (habit === 'contract' && wallet) wallet.accepts = !wallet.accepts;
}

/** Buy up to three answers, and retry each one a few times. */
export async function buyer(scene: Scene, name: string, habit: Habit): Promise<void> {
  const { world, chain, server, processes, requests } = scene;
  const wallet = walletOf(name);
  if (habit === 'contract') chain.wallets.set(wallet, { accepts: true, wasBorn: true });
  const send = (request: Request): Promise<Reply> => {
    requests.push(request);
    return server.buy(world.pick(processes), name, request);
  };
  for (let bought = 0, wanted = 1 + world.below(3); bought < wanted; bought += 1) {
    const route = world.random() < (habit === 'contract' ? 0.15 : 0.65) ? EXCLUSIVE : 'GET /api/deals';
    const path = `${route.slice(4)}?by=${name}&n=${bought}`;
    const identifierHash = world.random() < 0.5 ? sha256(`${name}'s order ${bought}`) : null;
    const paying = (): Pick<Request, 'payment' | 'signature'> => {
      const payment = chain.signed(wallet, route === EXCLUSIVE ? EXCLUSIVE_SECONDS : OTHER_SECONDS);
      return { payment, signature: habit === 'contract' ? wallet : payment.nonce };
    };
    const first: Request = { route, request: path, ...paying(), identifierHash };
    const ofDeals = { ...first, route: 'GET /api/deals', identifierHash: null };
    let next: () => Promise<Reply> = () => send(first);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      await world.gate(null, `${name} acts`);
      if (habit === 'contract' && tries > 0) Object.assign(chain.wallets.get(wallet) ?? {}, { accepts: true });
      const copies: Promise<unknown>[] = [];
      if (world.random() < 0.2) copies.push(send(first));
      if (world.random() < 0.1) copies.push(send({ ...ofDeals, request: '/api/deals?other=1' }));
      if (world.random() < 0.12 || habit === 'poor')
        copies.push(send({ ...ofDeals, ...paying(), request: `${path}&more=${tries}` }));
      if (world.random() < ACTS) copies.push(actByHabit(scene, habit, first.payment));
      const [reply] = await Promise.all([next(), ...copies]);
      world.log(name, reply.kind === 'refused' ? `refused: ${reply.why}` : reply.kind);
      if (reply.kind === 'answer') break;
      const choice = world.random();
      if (choice < 0.5) next = () => send(first);
      else if (choice < 0.6)
        next = () => server.collect(world.pick(processes), name, first.payment.nonce, { wallet, address: wallet });
      else if (choice < 0.9 && identifierHash !== null) next = () => send({ ...first, ...paying() });
      else break;
    }
  }
}

/** Try to get answers that others paid for, knowing every request and every transaction of the facilitator. */
export async function stranger({ world, chain, server, processes, requests }: Scene, tries: number): Promise<void> {
  for (let i = 0; i < tries; i += 1) {
    await world.gate(null, 'the stranger acts');
    const known = chain.transactions.filter((t) => t.sender === 'facilitator').flatMap(({ calls }) => calls);
    if (known.length === 0) continue;
    const call = world.pick(known);
    const [, payment] = call;
    const seen = requests.find((r) => r.payment.nonce === payment.nonce);
    const process = world.pick(processes);
    const copy: Request = {
      route: seen?.route ?? EXCLUSIVE,
      request: seen?.request ?? '/api/leads/exclusive',
      payment,
      identifierHash: null,
      signature: payment.nonce,
    };
    const act = world.below(8);
    if (act < 4) await server.buy(process, STRANGER, act < 2 ? copy : { ...copy, identifierHash: sha256('a guess') });
    else if (act === 4) {
      const address = world.pick([STRANGER, payment.payer]);
      await server.collect(process, STRANGER, payment.nonce, { wallet: STRANGER, address });
    } else if (act === 5) {
      // A transfer for nothing: plain, or by an authorization of no amount or of a small one, which is owed.
      chain.balances.set(STRANGER, chain.balanceOf(STRANGER) + 1n);
      const terms = { ...payment, payer: STRANGER, payTo: PAY_TO, amount: 1n };
      const own = (): Payment => ({ ...chain.signed(STRANGER, OTHER_SECONDS), amount: BigInt(i % 3) - 1n });
      chain.send([i % 3 === 0 ? ['move', terms] : ['pay', own()]], 'stranger');
    } else chain.send([call], 'stranger');
  }
}
