/** Clients of the server: buyers with different habits, and a stranger who knows everything that is public. */
import type { Payment } from '../../../ledger/ledger.ts';
import { sha256 } from '../purchases.ts';
import { PAY_TO, PRICE, type Authorization, type Call, type Chain } from './chain.ts';
import type { Server } from './server.ts';
import { EXCLUSIVE, type Reply, type Request } from './session.ts';
import type { Process, World } from './world.ts';

export const STRANGER = `0x${'bad0'.repeat(10)}`;
const [EXCLUSIVE_SECONDS, OTHER_SECONDS] = [60, 300];
const MAX_TRIES = 4;

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
export const HABITS: readonly Habit[] = [
  'ordinary',
  'ordinary',
  'ordinary',
  'poor',
  'contract',
  'contract',
  'cancels',
  'drains',
  'turns',
];
/** Chance that a buyer acts by its habit during a request. */
const ACTS = 0.35;

export interface Scene {
  readonly world: World;
  readonly chain: Chain;
  readonly server: Server;
  readonly processes: readonly Process[];
  /** Requests with their buyers. */
  readonly requests: (Request & { readonly buyer: string })[];
}

export const walletOf = (name: string): string => `0x${sha256(name).slice(0, 40)}`;

let unused = 0;
/** An unused nonce; `restartNonces` makes a schedule repeatable. */
const freshNonce = (): string => `0x${(unused += 1).toString(16).padStart(64, '0')}`;
export const restartNonces = (): void => {
  unused = 0;
};

const signed = ({ chain }: Scene, payer: string, seconds: number): Payment => ({
  network: chain.network.name,
  asset: chain.asset,
  payer,
  nonce: freshNonce(),
  payTo: PAY_TO,
  amount: PRICE,
  validBefore: BigInt(chain.seconds + seconds),
});

/**
 * Spend a signed payment without the server, and mine the transaction at once: anyone who sees an unmined one could
 * present the payment.
 */
export function spend({ world, chain }: Scene, payment: Authorization, asSigned = false): void {
  const pay = (authorization: Authorization): Call => ({ kind: 'pay', authorization });
  const own = pay(payment);
  const elsewhere = pay({ ...payment, payTo: STRANGER });
  const toUs: Call = { kind: 'move', from: payment.payer, to: PAY_TO, amount: payment.amount };
  const calls: readonly Call[] = asSigned
    ? [own]
    : world.pick<readonly Call[]>([
        [own],
        [own],
        [elsewhere],
        [{ kind: 'cancel', payer: payment.payer, nonce: payment.nonce }],
        [pay({ ...payment, amount: payment.amount / 2n })],
        [elsewhere, toUs],
        [toUs],
        // The same terms with another nonce, next to the nonce that is spent elsewhere.
        [elsewhere, pay({ ...payment, nonce: freshNonce() })],
      ]);
  chain.mine([chain.send(calls, 'payer')]);
}

/** What a buyer with this habit does while it waits for its answer. */
async function actByHabit(scene: Scene, habit: Habit, payment: Payment): Promise<void> {
  const { world, chain } = scene;
  for (let wait = world.below(8); wait > 0; wait -= 1) await world.gate(null, 'a buyer waits');
  const balance = chain.balances.get(payment.payer) ?? 0n;
  const wallet = chain.wallets.get(payment.payer);
  switch (habit) {
    case 'cancels':
      spend(scene, payment);
      return;
    case 'drains':
      chain.mine([chain.send([{ kind: 'move', from: payment.payer, to: STRANGER, amount: balance }], 'payer')]);
      return;
    case 'turns':
      if (!wallet) chain.wallets.set(payment.payer, { accepts: world.random() < 0.3, wasBorn: false });
      return;
    case 'contract':
      if (wallet) wallet.accepts = !wallet.accepts;
      return;
    default:
  }
}

/** Buy up to three answers, and retry each one a few times. */
export async function buyer(scene: Scene, name: string, habit: Habit): Promise<void> {
  const { world, chain, server, processes, requests } = scene;
  const wallet = walletOf(name);
  if (habit === 'contract') chain.wallets.set(wallet, { accepts: true, wasBorn: true });
  const send = (request: Request): Promise<Reply> => {
    requests.push({ ...request, buyer: name });
    return server.buy(world.pick(processes), name, request);
  };
  for (let bought = 0, wanted = 1 + world.below(3); bought < wanted; bought += 1) {
    const route = world.random() < (habit === 'contract' ? 0.15 : 0.65) ? EXCLUSIVE : 'GET /api/deals';
    const path = `${route.slice(4)}?by=${name}&n=${bought}`;
    const identifierHash = world.random() < 0.5 ? sha256(`${name}'s order ${bought}`) : null;
    const paying = (): Pick<Request, 'payment' | 'signature'> => {
      const payment = signed(scene, wallet, route === EXCLUSIVE ? EXCLUSIVE_SECONDS : OTHER_SECONDS);
      return { payment, signature: habit === 'contract' ? wallet : payment.nonce };
    };
    const first: Request = { route, request: path, ...paying(), identifierHash };
    let next: () => Promise<Reply> = () => send(first);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      await world.gate(null, `${name} acts`);
      if (habit === 'contract' && tries > 0) Object.assign(chain.wallets.get(wallet) ?? {}, { accepts: true });
      const copies: Promise<unknown>[] = [];
      if (world.random() < 0.2) copies.push(send(first));
      if (world.random() < 0.1) {
        copies.push(send({ ...first, route: 'GET /api/deals', request: '/api/deals?other=1', identifierHash: null }));
      }
      if (world.random() < 0.12 || habit === 'poor') {
        copies.push(
          send({
            ...first,
            ...paying(),
            route: 'GET /api/deals',
            request: `${path}&more=${tries}`,
            identifierHash: null,
          }),
        );
      }
      if (world.random() < ACTS) copies.push(actByHabit(scene, habit, first.payment));
      const [reply] = await Promise.all([next(), ...copies]);
      world.log(name, reply.kind === 'refused' ? `refused: ${reply.why}` : reply.kind);
      if (reply.kind === 'answer') break;
      const choice = world.random();
      if (choice < 0.5) next = () => send(first);
      else if (choice < 0.6)
        next = () => server.collect(world.pick(processes), name, first.payment.nonce, { wallet, claims: wallet });
      else if (choice < 0.9 && identifierHash !== null) next = () => send({ ...first, ...paying() });
      else break;
    }
  }
}

/** A transfer that is for nothing: plain, or by an authorization of no amount or of a small one, which is owed. */
function strangersTransfer(scene: Scene, i: number): Call {
  if (i % 3 === 0) return { kind: 'move', from: STRANGER, to: PAY_TO, amount: 1n };
  return { kind: 'pay', authorization: { ...signed(scene, STRANGER, OTHER_SECONDS), amount: BigInt(i % 3) - 1n } };
}

/** Try to get answers that others paid for, knowing every request and every transaction of the facilitator. */
export async function stranger(scene: Scene, tries: number): Promise<void> {
  const { world, chain, server, processes, requests } = scene;
  for (let i = 0; i < tries; i += 1) {
    await world.gate(null, 'the stranger acts');
    const known = chain.transactions.filter((t) => t.sender === 'facilitator').flatMap(({ calls }) => calls);
    if (known.length === 0) continue;
    const call = world.pick(known);
    if (call.kind !== 'pay') continue;
    const { authorization } = call;
    const seen = requests.find((r) => r.payment.nonce === authorization.nonce);
    const process = world.pick(processes);
    const copy: Request = {
      route: seen?.route ?? EXCLUSIVE,
      request: seen?.request ?? '/api/leads/exclusive',
      payment: authorization,
      identifierHash: null,
      signature: authorization.nonce,
    };
    switch (world.below(8)) {
      case 0:
      case 1:
        await server.buy(process, STRANGER, copy);
        break;
      case 2:
      case 3:
        await server.buy(process, STRANGER, { ...copy, identifierHash: sha256('a guess') });
        break;
      case 4:
        await server.collect(process, STRANGER, authorization.nonce, {
          wallet: STRANGER,
          claims: world.pick([STRANGER, authorization.payer]),
        });
        break;
      case 5:
        chain.balances.set(STRANGER, (chain.balances.get(STRANGER) ?? 0n) + 1n);
        chain.send([strangersTransfer(scene, i)], 'stranger');
        break;
      default:
        chain.send([call], 'stranger');
    }
  }
}
