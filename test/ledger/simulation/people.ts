/** Those who ask the server: buyers with wallets and patience of their own, and a stranger who knows what is public. */
import type { Payment } from '../../../ledger/ledger.ts';
import { sha256 } from '../purchases.ts';
import { PAY_TO, PRICE, type Chain } from './chain.ts';
import { EXCLUSIVE, type Reply, type Request, type Server } from './server.ts';
import type { Process, World } from './world.ts';

export const STRANGER = `0x${'bad0'.repeat(10)}`;
const ASSET = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const VALID_SECONDS = 300n;
const MOST_TRIES = 5;

export interface Scene {
  readonly world: World;
  readonly chain: Chain;
  readonly server: Server;
  readonly processes: readonly Process[];
  /** Requests that were sent, by anybody to whom they belong. */
  readonly requests: (Request & { readonly buyer: string })[];
}

export const walletOf = (name: string): string => `0x${sha256(name).slice(0, 40)}`;

let unused = 0;
/** A nonce nobody has used; the next ones follow from where a schedule starts. */
const freshNonce = (): string => `0x${(unused += 1).toString(16).padStart(64, '0')}`;
export const restartNonces = (): void => { unused = 0; };

const signed = ({ chain }: Scene, payer: string): Payment => ({
  network: 'eip155:8453', asset: ASSET, payer, nonce: freshNonce(), payTo: PAY_TO, amount: PRICE, validBefore: chain.seconds + VALID_SECONDS,
});

/** Buy one or two things, each until it is had or patience ends. */
export async function buyer(scene: Scene, name: string): Promise<void> {
  const { world, server, processes, requests } = scene;
  const wallet = walletOf(name);
  const send = (request: Request): Promise<Reply> => {
    requests.push({ ...request, buyer: name });
    return server.buy(world.pick(processes), name, request);
  };
  for (let bought = 0, wanted = 1 + world.below(2); bought < wanted; bought += 1) {
    const route = world.random() < 0.7 ? EXCLUSIVE : 'GET /api/deals';
    const path = `${route.slice(4)}?by=${name}&n=${bought}`;
    const identifierHash = world.random() < 0.5 ? sha256(`${name}'s order ${bought}`) : null;
    const first: Request = { route, request: path, payment: signed(scene, wallet), identifierHash };
    let next: () => Promise<Reply> = () => send(first);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      await world.gate(null, `${name} acts`);
      const copies: Promise<Reply>[] = [];
      if (world.random() < 0.25) copies.push(send(first));
      if (world.random() < 0.1) copies.push(send({ ...first, route: 'GET /api/deals', request: '/api/deals?other=1', identifierHash: null }));
      const [reply] = await Promise.all([next(), ...copies]);
      world.say(name, reply.kind === 'refused' ? `refused: ${reply.why}` : reply.kind);
      if (reply.kind === 'answer') break;
      const choice = world.random();
      if (choice < 0.5) next = () => send(first);
      else if (choice < 0.65) next = () => server.collect(world.pick(processes), name, first.payment.nonce, wallet);
      else if (choice < 0.9 && identifierHash !== null) next = () => send({ ...first, payment: signed(scene, wallet) });
      else break;
    }
  }
}

/** Try to be given what others paid for, knowing every transaction and every address of the server. */
export async function stranger(scene: Scene, tries: number): Promise<void> {
  const { world, chain, server, processes, requests } = scene;
  for (let i = 0; i < tries; i += 1) {
    await world.gate(null, 'the stranger acts');
    if (chain.transactions.length === 0) continue;
    const { authorization } = world.pick(chain.transactions);
    const seen = requests.find((r) => r.payment.nonce === authorization.nonce);
    const process = world.pick(processes);
    const copy: Request = { route: seen?.route ?? EXCLUSIVE, request: seen?.request ?? '/api/leads/exclusive', payment: authorization, identifierHash: null };
    switch (world.below(8)) {
      case 0:
      case 1: await server.buy(process, STRANGER, copy); break;
      case 2:
      case 3:
      case 4: await server.buy(process, STRANGER, { ...copy, identifierHash: sha256('a guess') }); break;
      case 5: await server.collect(process, STRANGER, authorization.nonce, STRANGER); break;
      case 6: await server.collect(process, STRANGER, authorization.nonce, STRANGER, authorization.payer); break;
      default: chain.send(authorization, 'stranger');
    }
  }
}
