/**
 * The processes of a server in a simulated world. They run the real check of the payer, the real sale, evidence,
 * reconciler and audit, and the real proof of the wallet, on a real ledger in memory, as api/payments/middleware.ts
 * does. HTTP and Koa are left out.
 */
import type { OfferedPayment } from '../../../api/payments/chain/authorization.ts';
import { ChainUnavailable } from '../../../api/payments/chain/node.ts';
import type { PaymentChain } from '../../../api/payments/chain/payment_chain.ts';
import type { Signatures } from '../../../api/payments/chain/signatures.ts';
import { purchaseCollector } from '../../../api/payments/collect.ts';
import type { OpenPurchase, SaleEffects } from '../../../api/payments/sale.ts';
import {
  isExpired,
  LedgerUnavailable,
  type Answer,
  type LeadLimits,
  type Ledger,
  type OfferedLead,
  type Purchase,
} from '../../../ledger/ledger.ts';
import { answer, bodyOf } from '../purchases.ts';
import type { CallChecks } from './call_checks.ts';
import { PAY_TO, PRICE, type Chain } from './chain.ts';
import { settleThrough, type Settle } from './facilitator.ts';
import { nodeFor } from './node.ts';
import type { Parts, Request } from './planted.ts';
import { ledgerView } from './ledger_view.ts';
import type { Process, World } from './world.ts';

export const EXCLUSIVE = 'GET /api/leads/exclusive';
export const RESERVE_MS = 30_000;
/** How long a settlement may take before the reconciler checks it. */
const SETTLEMENT_MS = 45_000;
const ORIGIN = 'https://deals.example';
const WAIT = { everyMs: 500, readsWithHint: 4, readsWithoutHint: 2 } as const;
/** Seconds for which a payment must be valid, at least and at most. */
const [MIN_VALID, MAX_VALID] = [20n, 360n];
/** Chance that an answer takes long while its payer pays directly; and how many steps it takes. */
const [PAID_MEANWHILE, HANDLER_STEPS] = [0.03, 15];
const [CONNECTION_BREAKS, HANDLER_FAILS] = [0.08, 0.02];

export type Reply =
  | { readonly kind: 'answer'; readonly body: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'broken' };

/** A sent answer, with the state of chain and ledger when it was sent. */
interface Sent {
  readonly to: string;
  readonly purchase: Purchase;
  readonly body: string;
  /** Whether a block had shown its payment to us by then. */
  readonly wasPaid: boolean;
  /** Whether the ledger had it as sold by then. */
  readonly wasWritten: boolean;
}

/** Limits of this world, low enough to be reached. */
export interface Limits {
  readonly leads: LeadLimits;
  readonly maxOpen: number;
  readonly mostOpenOfContract: number;
  /** How long an answer can be collected. */
  readonly collectMs: number;
}

interface ServerOptions {
  readonly world: World;
  readonly chain: Chain;
  readonly ledger: Ledger;
  readonly checks: CallChecks;
  readonly parts: Parts;
  readonly leads: readonly OfferedLead[];
  readonly limits: Limits;
  /** How many facilitators it has, in order of preference. */
  readonly facilitators: number;
  /** Whether exclusive sales may be paused: the schedule has a restore. */
  readonly mayPause: boolean;
}

/** A client at one process, and what the process sees. */
interface Session {
  readonly process: Process;
  /** By its name in the trace. */
  readonly client: string;
  readonly ledger: Ledger;
  readonly chain: PaymentChain;
  readonly nowMs: () => number;
}

class HandlerFailed extends Error {
  override readonly name = 'HandlerFailed';
}

const isExpected = (error: unknown): error is Error =>
  error instanceof LedgerUnavailable || error instanceof ChainUnavailable || error instanceof HandlerFailed;
const ignoreExpected = (error: unknown): void => {
  if (!isExpected(error)) throw error;
};
const refused = (why: string): Reply => ({ kind: 'refused', why });

/** In this world a wallet's signature of a text is its address. */
const signatureOf = (address: string): `0x${string}` => `0x${address.slice(2).toLowerCase()}`;
const signatures = {
  byKey: async () => true,
  text: async ({ address, signature }: { address: string; signature: string }) => signature === signatureOf(address),
} as unknown as Signatures;

interface VerifiedPayer {
  readonly balance: bigint;
  readonly isContract: boolean;
}

/** The wallet that signs a challenge, and the address that it says it is. */
interface Proof {
  readonly wallet: string;
  readonly address: string;
}

export class Server {
  readonly sent: Sent[] = [];
  /** Purchases whose settlement had an unknown outcome. */
  readonly unknown = new Set<string>();
  /** Purchases that the facilitator was asked to settle. */
  readonly asked = new Set<string>();
  readonly #options: ServerOptions;
  readonly #settle: Settle;
  readonly #replaced: Partial<Ledger>;
  readonly #chains = new Map<string, PaymentChain>();

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#settle = settleThrough(options.facilitators, options.world, options.chain);
    this.#replaced = options.parts.ledger(options.ledger);
  }

  /** Send a request to a process. The reply arrives, or the connection breaks. */
  #request(process: Process, client: string, work: (session: Session) => Promise<Reply>): Promise<Reply> {
    if (!process.alive) return Promise.resolve({ kind: 'broken' });
    return new Promise((resolve, reject) => {
      const broken = (): void => {
        resolve({ kind: 'broken' });
      };
      process.connections.add(broken);
      this.#options.world.log(client, `sends a request to ${process.name}`);
      work(this.#session(process, client))
        .catch((error: unknown) => {
          ignoreExpected(error);
          return refused(String((error as Error).message));
        })
        .finally(() => process.connections.delete(broken))
        .then(resolve, reject);
    });
  }

  #session(process: Process, client: string): Session {
    const { world, chain, ledger, checks, parts } = this.#options;
    const nowMs = (): number => world.nowMs + process.skewMs;
    const seen = this.#chains.getOrInsertComputed(process.name, () =>
      parts.evidence(parts.paymentChain(nodeFor(world, chain, process), chain.network), nowMs),
    );
    const view = ledgerView(ledger, { world, process, replaced: this.#replaced, checks });
    return { process, client, ledger: view, chain: seen, nowMs };
  }

  /** A request with a payment. */
  buy(process: Process, client: string, request: Request): Promise<Reply> {
    return this.#request(process, client, async (session) => {
      const earlier = await this.#answerEarlier(session, request);
      if (earlier) return earlier;
      const payer = await this.#verify(session, request);
      if (typeof payer === 'string') return (await this.#answerEarlier(session, request)) ?? refused(payer);
      return this.#sell(session, request, payer);
    });
  }

  /** Answer by the purchase that has this payment or identifier, unless it is an expired reservation. */
  async #answerEarlier(session: Session, request: Request): Promise<Reply | null> {
    const { ledger, nowMs } = session;
    const { payment, identifierHash } = request;
    const unlessOver = (p: Purchase | null): Purchase | null => (p && isExpired(p, nowMs()) ? null : p);
    const earlier =
      (identifierHash === null ? null : unlessOver(await ledger.find({ payer: payment.payer, identifierHash }))) ??
      unlessOver(await ledger.find({ payment }));
    return earlier && this.#answerAgain(session, earlier, request);
  }

  async #answerAgain(session: Session, purchase: Purchase, request: Request): Promise<Reply> {
    if (!this.#options.parts.mayCollect(purchase, request) || purchase.state !== 'sold')
      return refused(`taken by a ${purchase.state} purchase`);
    const stored = await session.ledger.answerOf(purchase.id);
    return stored ? this.#send(session, purchase, stored) : refused('its answer is no longer stored');
  }

  /** The checks before a sale. @returns the reason of a refusal as text */
  async #verify({ chain, nowMs }: Session, { payment, route }: Request): Promise<VerifiedPayer | string> {
    const { chain: token, parts } = this.#options;
    const validSeconds = payment.validBefore - BigInt(Math.floor(nowMs() / 1000));
    const isInTime = validSeconds >= MIN_VALID && validSeconds <= MAX_VALID;
    if (payment.payTo !== PAY_TO || payment.amount !== PRICE || !isInTime)
      return 'the payment does not match the requirements';
    const offer = { payment, signed: { signature: '0x', authorization: {} } } as unknown as OfferedPayment;
    const context = { network: token.network, chain, signatures, acceptsContractWallets: true };
    const payer = await parts.checkPayer(context, offer, route === EXCLUSIVE);
    if (payer.kind === 'obstacle') return payer.obstacle;
    if (payer.kind === 'refused') return payer.reason;
    return payer;
  }

  async #sell(session: Session, request: Request, { balance, isContract }: VerifiedPayer): Promise<Reply> {
    const { limits, parts, mayPause } = this.#options;
    const { payment, identifierHash, route } = request;
    // As in api/payments/request/verify.ts.
    if (mayPause && route === EXCLUSIVE && (await session.ledger.exclusivePause()) !== null)
      return refused('exclusive sales are paused');
    const outcome = await parts.sell(this.#effectsOf(session, request, isContract), {
      payment,
      identifierHash,
      route,
      request: request.request,
      snapshotId: 'run-1',
      reserveMs: RESERVE_MS,
      chain: await session.chain.id(),
      limits: { balance, maxOpen: isContract ? limits.mostOpenOfContract : limits.maxOpen },
    });
    switch (outcome.kind) {
      case 'sold':
        return this.#send(session, outcome.purchase, outcome.answer);
      case 'taken':
        return this.#answerAgain(session, outcome.purchase, request);
      case 'unknown':
        this.unknown.add(outcome.purchase.id);
        return refused('unknown');
      default:
        return refused(outcome.kind === 'refused' ? outcome.reason : outcome.kind);
    }
  }

  #effectsOf(session: Session, request: Request, isContract: boolean): SaleEffects {
    const { process, ledger, chain, nowMs } = session;
    const { world, chain: token } = this.#options;
    return {
      ledger,
      nowMs,
      wait: WAIT,
      settle: async ({ id }) => {
        if (isContract) {
          await world.gate(process, 'asks the contract wallet');
          if (token.wallets.get(request.payment.payer)?.accepts !== true)
            return { transaction: null, unsent: 'invalid_exact_evm_signature' };
        }
        await world.gate(process, 'asks for settlement');
        this.asked.add(id);
        const hint = await this.#settle(request.payment, request.signature);
        await world.gate(process, `gets ${hint.transaction?.slice(-4) ?? 'no transaction'}`);
        return hint;
      },
      evidence: (payment, hint) => chain.evidenceOf(payment, hint),
      pause: (ms) => world.gate(process, `pauses ${ms} ms`),
      buildAnswer: (openPurchase) => this.#handle(session, request, openPurchase),
    };
  }

  /** The handler: builds the answer, and holds a lead on the exclusive route. */
  async #handle(
    { process, ledger, nowMs }: Session,
    { payment, route, request }: Request,
    { purchase, hold }: OpenPurchase,
  ): Promise<Answer | null> {
    const { world, chain: token, leads, limits } = this.#options;
    if (world.mishap(HANDLER_FAILS)) throw new HandlerFailed('the handler threw');
    if (world.mishap(PAID_MEANWHILE)) {
      token.mine([token.send([['pay', payment]], 'payer')]);
      for (let step = 0; step < HANDLER_STEPS; step += 1) await world.gate(process, 'builds the answer');
    }
    if (route !== EXCLUSIVE) return world.mishap(HANDLER_FAILS) ? null : answer(`list for ${request}`);
    const held = await ledger.heldLeads(nowMs());
    const free = leads.filter(({ leadId }) => !held.has(leadId));
    const got = await hold(free, limits.leads);
    return got.kind === 'held' ? answer(`lead ${got.leadId} on receipt ${purchase.id}`) : null;
  }

  async #send(session: Session, purchase: Purchase, sold: Answer): Promise<Reply> {
    const { process, client } = session;
    const { world, chain } = this.#options;
    const body = String(bodyOf(sold));
    await world.gate(process, `sends ${purchase.id.slice(-2)} to ${client}`);
    const isBroken = world.mishap(CONNECTION_BREAKS);
    // The buyer may have read an answer although the connection broke.
    const wasWritten = (await this.#options.ledger.find({ id: purchase.id }))?.state === 'sold';
    this.sent.push({ to: client, purchase, body, wasPaid: chain.wasEverPaid(purchase.payment), wasWritten });
    return isBroken ? { kind: 'broken' } : { kind: 'answer', body };
  }

  /** Collect a purchase with the signed challenge of a process. */
  collect(process: Process, client: string, idOrNonce: string, { wallet, address }: Proof): Promise<Reply> {
    return this.#request(process, client, async (session) => {
      const { ledger, nowMs } = session;
      const { world, chain } = this.#options;
      const secret = 'the same on every process';
      const { network } = chain;
      const proof = purchaseCollector({ ledger, publicUrl: ORIGIN, secret, nowMs, network, signatures });
      const uri = `${ORIGIN}/api/purchases/${idOrNonce}`;
      const { info, supportedChains } = proof.challenge(uri);
      const signed = { ...info, ...supportedChains[0], address, signature: signatureOf(wallet) };
      await world.gate(process, 'reads a signed challenge');
      const found = await proof.collect(uri, idOrNonce, Buffer.from(JSON.stringify(signed)).toString('base64'));
      if (found.kind !== 'purchase') return refused(found.kind === 'refused' ? found.why : 'no such purchase');
      const stored = found.purchase.state === 'sold' ? await ledger.answerOf(found.purchase.id) : null;
      return stored ? this.#send(session, found.purchase, stored) : refused(`it is ${found.purchase.state}`);
    });
  }

  /** The work of the settlement watcher. */
  async watch(process: Process, everything: boolean): Promise<void> {
    const { parts, limits } = this.#options;
    const { ledger, chain, nowMs } = this.#session(process, 'watcher');
    await parts.reconcile({ ledger, chain, money: 'real', nowMs }, everything ? 0 : SETTLEMENT_MS);
    try {
      await ledger.deleteExpiredReservations(nowMs());
      const latest = await chain.latestBlock();
      await ledger.forgetAnswers(Math.min(nowMs(), latest.seconds * 1000) - limits.collectMs);
    } catch (error) {
      ignoreExpected(error);
    }
  }

  /** A pass of the auditor; one at a time in each process. */
  async audit(process: Process): Promise<void> {
    if (process.isAuditing) return;
    process.isAuditing = true;
    const { ledger, chain, nowMs } = this.#session(process, 'auditor');
    const holder = `${process.name}, start ${process.starts}`;
    await this.#options.parts.auditPass({ ledger, chain, payTo: PAY_TO, holder, nowMs }).catch(ignoreExpected);
    process.isAuditing = false;
  }
}
