/**
 * Processes that sell, in a simulated world: the real check of the payer, the real sale, the real evidence, reconciler
 * and audit, and the real proof of the wallet, on a real ledger in memory. HTTP and Koa are left out.
 */
import type { OfferedPayment } from '../../../api/payments/chain/authorization.ts';
import { ChainUnavailable } from '../../../api/payments/chain/chain_errors.ts';
import { collecting } from '../../../api/payments/collect.ts';
import type { PaymentChain } from '../../../api/payments/chain/payment_chain.ts';
import { recordDelivery } from '../../../api/payments/sale.ts';
import type { Signatures } from '../../../api/payments/chain/signatures.ts';
import {
  isOver,
  LedgerUnavailable,
  type Answer,
  type LeadLimits,
  type Ledger,
  type Payment,
  type Purchase,
} from '../../../ledger/ledger.ts';
import { answer, bodyOf } from '../purchases.ts';
import { CHAIN, PAY_TO, PRICE, type Chain } from './chain.ts';
import { Facilitator } from './facilitator.ts';
import type { Moments } from './moments.ts';
import { nodeFor } from './node.ts';
import type { Parts } from './parts.ts';
import { seenBy } from './seen.ts';
import type { Process, World } from './world.ts';

export const EXCLUSIVE = 'GET /api/leads/exclusive';
export const LEASE_MS = 30_000;
export const ACCOUNT = { chain: CHAIN, payTo: PAY_TO } as const;
/** How long a settlement may take before the reconciler looks at it. */
const SETTLEMENT_MS = 45_000;
const WAIT = { everyMs: 500, looksWithHint: 4, looksWithoutHint: 2 } as const;
/** Seconds a payment must still be valid, and may be valid at most. */
const [LEAST_VALID, MOST_VALID] = [6n, 360n];
const ORIGIN = 'https://deals.example';
const [MAKING_FAILS, LINE_BREAKS] = [0.02, 0.08];
/** Chance that an answer takes long, and its payer pays meanwhile by other means; and how long. */
const [PAID_MEANWHILE, MAKING_STEPS] = [0.03, 15];

export interface Request {
  readonly route: string;
  readonly request: string;
  readonly payment: Payment;
  readonly identifierHash: string | null;
  /** A contract wallet gives the same one for each of its payments. */
  readonly signature: string;
}

export type Reply =
  | { readonly kind: 'answer'; readonly body: string; readonly receipt: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'broken' };

/** An answer that left, seen at the moment it left. */
export interface Sent {
  readonly to: string;
  readonly purchase: Purchase;
  readonly body: string;
  /** Whether a block showed its payment as paid to us by then. */
  readonly wasPaid: boolean;
  /** Whether the ledger had it as sold then. */
  readonly wasWritten: boolean;
}

/** Limits of this world: small, so that they are reached. */
export interface Limits {
  readonly leads: LeadLimits;
  readonly mostOpen: number;
  readonly mostOpenOfContract: number;
  readonly mostUnpaid: number;
  /** How long an answer can be collected. */
  readonly collectMs: number;
}

export interface ServerOptions {
  readonly world: World;
  readonly chain: Chain;
  readonly ledger: Ledger;
  readonly moments: Moments;
  readonly parts: Parts;
  readonly leads: readonly string[];
  readonly limits: Limits;
}

class MakingFailed extends Error {
  override readonly name = 'MakingFailed';
}

/** In this world a wallet's signature of a text is its address. */
const signatureOf = (address: string): `0x${string}` => `0x${address.slice(2).toLowerCase()}`;
const isExpected = (error: unknown): error is Error =>
  error instanceof LedgerUnavailable || error instanceof ChainUnavailable || error instanceof MakingFailed;

export class Server {
  readonly sent: Sent[] = [];
  /** Purchases whose settlement was of unknown outcome. */
  readonly unknown = new Set<string>();
  /** Purchases that the facilitator was asked to settle. */
  readonly asked = new Set<string>();
  readonly #options: ServerOptions;
  readonly #facilitator: Facilitator;
  readonly #replaced: Partial<Ledger>;
  readonly #chains = new Map<string, PaymentChain>();

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#facilitator = new Facilitator(options.world, options.chain);
    this.#replaced = options.parts.ledger(options.ledger);
  }

  #nowMs(process: Process): number {
    return this.#options.world.nowMs + process.skewMs;
  }

  #seen(process: Process): Ledger {
    const { world, ledger, moments } = this.#options;
    return seenBy({ world, process, ledger, replaced: this.#replaced, moments });
  }

  #chainOf(process: Process): PaymentChain {
    const known = this.#chains.get(process.name);
    if (known) return known;
    const { world, chain, parts } = this.#options;
    const made = parts.evidence(parts.paymentChain(nodeFor(world, chain, process)), () => this.#nowMs(process));
    this.#chains.set(process.name, made);
    return made;
  }

  /** Send a request to a process. The reply comes, or the line breaks. */
  ask(process: Process, client: string, work: () => Promise<Reply>): Promise<Reply> {
    if (!process.alive) return Promise.resolve({ kind: 'broken' });
    return new Promise((resolve, reject) => {
      const broken = (): void => {
        resolve({ kind: 'broken' });
      };
      process.connections.add(broken);
      const reply = async (): Promise<Reply> => {
        try {
          return await work();
        } catch (error) {
          if (!isExpected(error)) throw error;
          return { kind: 'refused', why: error.message };
        } finally {
          process.connections.delete(broken);
        }
      };
      this.#options.world.say(client, `asks ${process.name}`);
      reply().then(resolve, reject);
    });
  }

  buy(process: Process, client: string, request: Request): Promise<Reply> {
    return this.ask(process, client, () => this.#buy(process, client, request));
  }

  /** The purchase that has this payment or identifier, unless it is a reservation whose time is over. */
  async #takenBy(ledger: Ledger, process: Process, { payment, identifierHash }: Request): Promise<Purchase | null> {
    const standing = (p: Purchase | null): Purchase | null => (p && isOver(p, this.#nowMs(process)) ? null : p);
    return (
      (identifierHash === null ? null : standing(await ledger.find({ payer: payment.payer, identifierHash }))) ??
      standing(await ledger.find({ payment }))
    );
  }

  /** The checks before a sale, as the middleware makes them. */
  async #checked(
    process: Process,
    { payment, route }: Request,
  ): Promise<{ balance: bigint; isContract: boolean } | string> {
    const { world, chain, parts } = this.#options;
    const now = BigInt(Math.floor(this.#nowMs(process) / 1000));
    if (
      payment.payTo !== PAY_TO ||
      payment.amount !== PRICE ||
      payment.validBefore < now + LEAST_VALID ||
      payment.validBefore > now + MOST_VALID
    ) {
      return 'the payment is not what is asked for';
    }
    const signatures: Pick<Signatures, 'byKey' | 'byContract'> = {
      byKey: async () => true,
      byContract: async () => chain.wallets.get(payment.payer)?.accepts === true,
    };
    const offer = { payment, signed: { signature: '0x', authorization: {} } } as unknown as OfferedPayment;
    const payer = await parts.checkPayer(
      { chain: this.#chainOf(process), signatures, contractWallets: true },
      offer,
      route === EXCLUSIVE,
    );
    if (payer.kind === 'refused') return payer.reason;
    await world.gate(process, 'asks the facilitator');
    return this.#facilitator.verifies(payment) ? payer : 'the facilitator refuses';
  }

  async #buy(process: Process, client: string, request: Request): Promise<Reply> {
    const { world, parts, limits, leads } = this.#options;
    const ledger = this.#seen(process);
    const chain = this.#chainOf(process);
    const nowMs = (): number => this.#nowMs(process);
    const { payment, identifierHash, route, signature } = request;
    const taken = await this.#takenBy(ledger, process, request);
    if (taken) return this.#answerTaken(ledger, process, client, taken, request);
    const payer = await this.#checked(process, request);
    if (typeof payer === 'string') {
      const used = await this.#takenBy(ledger, process, request);
      return used ? this.#answerTaken(ledger, process, client, used, request) : { kind: 'refused', why: payer };
    }
    const outcome = await parts.sell(
      {
        ledger,
        nowMs,
        wait: WAIT,
        settle: async ({ id }) => {
          await world.gate(process, 'asks for settlement');
          this.asked.add(id);
          const hint = await this.#facilitator.settle(payment, signature);
          await world.gate(process, `is told ${hint.transaction === null ? 'nothing' : hint.transaction.slice(-4)}`);
          return hint;
        },
        evidence: (paid, hint) => chain.of(paid, hint),
        async payerFault(paid) {
          const now = await chain.payer(paid);
          if (now.isUsed) return null;
          if (now.hasCode) return payer.isContract ? 'contract_did_not_pay' : 'payer_changed_code';
          return now.balance < paid.amount ? 'payer_without_funds' : null;
        },
        pause: (ms) => world.gate(process, `pauses ${ms} ms`),
        make: async ({ purchase, claim }) => {
          if (world.mishap(MAKING_FAILS)) throw new MakingFailed('the handler threw');
          if (world.mishap(PAID_MEANWHILE)) {
            const { chain: token } = this.#options;
            token.mine([token.send([{ kind: 'pay', authorization: payment }], 'payer')]);
            for (let step = 0; step < MAKING_STEPS; step += 1) await world.gate(process, 'makes the answer');
          }
          if (route !== EXCLUSIVE) return world.mishap(MAKING_FAILS) ? null : answer(`list for ${request.request}`);
          const claimed = await ledger.claimedLeads(nowMs());
          const got = await claim(
            leads.filter((id) => !claimed.has(id)),
            limits.leads,
          );
          return got.kind === 'claimed' ? answer(`lead ${got.leadId} on receipt ${purchase.id}`) : null;
        },
      },
      {
        payment,
        identifierHash,
        route,
        request: request.request,
        snapshotId: 'run-1',
        leaseMs: LEASE_MS,
        chain: await chain.id(),
        limits: {
          balance: payer.balance,
          mostOpen: payer.isContract ? limits.mostOpenOfContract : limits.mostOpen,
          mostUnpaid: limits.mostUnpaid,
        },
      },
    );
    switch (outcome.kind) {
      case 'sold':
        return this.#send(ledger, process, client, outcome.purchase, outcome.answer, 'first');
      case 'taken':
        return this.#answerTaken(ledger, process, client, outcome.purchase, request);
      case 'unknown':
        this.unknown.add(outcome.purchase.id);
        return { kind: 'refused', why: 'unknown' };
      case 'refused':
        return { kind: 'refused', why: outcome.reason };
      default:
        return { kind: 'refused', why: outcome.kind };
    }
  }

  async #answerTaken(
    ledger: Ledger,
    process: Process,
    client: string,
    purchase: Purchase,
    request: Request,
  ): Promise<Reply> {
    if (!this.#options.parts.mayCollect(purchase, request) || purchase.state !== 'sold') {
      return { kind: 'refused', why: `taken by a ${purchase.state} purchase` };
    }
    const kept = await ledger.answerOf(purchase.id);
    return kept
      ? this.#send(ledger, process, client, purchase, kept, 'identifier')
      : { kind: 'refused', why: 'its answer is not kept' };
  }

  async #send(
    ledger: Ledger,
    process: Process,
    client: string,
    purchase: Purchase,
    sold: Answer,
    kind: 'first' | 'identifier' | 'wallet',
  ): Promise<Reply> {
    const { world, chain } = this.#options;
    const body = String(await bodyOf(sold));
    await world.gate(process, `sends ${purchase.id.slice(-2)} to ${client}`);
    const broken = world.mishap(LINE_BREAKS);
    // An answer lost on the line may have been read all the same, by its buyer.
    const written = await this.#options.ledger.find({ id: purchase.id });
    this.sent.push({
      to: client,
      purchase,
      body,
      wasPaid: chain.wasEverPaid(purchase.payment),
      wasWritten: written?.state === 'sold',
    });
    const delivery = { purchaseId: purchase.id, kind, atMs: this.#nowMs(process), complete: !broken };
    recordDelivery(ledger, delivery).catch(() => undefined);
    return broken ? { kind: 'broken' } : { kind: 'answer', body, receipt: purchase.id };
  }

  /** Collect by proof of a wallet: the challenge of the process, signed by `wallet`, which says it is `claims`. */
  collect(process: Process, client: string, idOrNonce: string, wallet: string, claims = wallet): Promise<Reply> {
    return this.ask(process, client, async () => {
      const ledger = this.#seen(process);
      const signatures = {
        text: async ({ address, signature }: { address: string; signature: string }) =>
          signature === signatureOf(address),
      } as unknown as Signatures;
      const proof = collecting({
        ledger,
        publicUrl: ORIGIN,
        secret: 'the same on every process',
        nowMs: () => this.#nowMs(process),
        signatures,
      });
      const uri = `${ORIGIN}/api/purchases/${idOrNonce}`;
      const { info, supportedChains } = proof.challenge(uri);
      const header = Buffer.from(
        JSON.stringify({ ...info, ...supportedChains[0], address: claims, signature: signatureOf(wallet) }),
      ).toString('base64');
      await this.#options.world.gate(process, 'reads a signed challenge');
      const found = await proof.collect(uri, idOrNonce, header);
      if (found.kind !== 'purchase') {
        return { kind: 'refused', why: found.kind === 'refused' ? found.why : 'no such purchase' };
      }
      const kept = found.purchase.state === 'sold' ? await ledger.answerOf(found.purchase.id) : null;
      return kept
        ? this.#send(ledger, process, client, found.purchase, kept, 'wallet')
        : { kind: 'refused', why: `it is ${found.purchase.state}` };
    });
  }

  /** What a process does from time to time, and at its start. */
  async watch(process: Process, everything: boolean): Promise<void> {
    const { parts, limits } = this.#options;
    const ledger = this.#seen(process);
    const chain = this.#chainOf(process);
    const nowMs = (): number => this.#nowMs(process);
    await parts.reconcile(
      { ledger, chain, chainId: () => chain.id(), money: 'real', nowMs },
      everything ? 0 : SETTLEMENT_MS,
    );
    try {
      await ledger.deleteExpiredReservations(nowMs());
      const latest = await chain.latestBlock();
      await ledger.forgetAnswers(Math.min(nowMs(), latest.seconds * 1000) - limits.collectMs);
    } catch (error) {
      if (!isExpected(error)) throw error;
    }
  }

  /** A pass of the auditor; one at a time in each process. */
  async audit(process: Process): Promise<void> {
    if (process.isAuditing) return;
    process.isAuditing = true;
    const holder = `${process.name}, start ${process.starts}`;
    try {
      await this.#options.parts.auditPass({
        ledger: this.#seen(process),
        chain: this.#chainOf(process),
        payTo: PAY_TO,
        holder,
        nowMs: () => this.#nowMs(process),
      });
    } catch (error) {
      if (!isExpected(error)) throw error;
    }
    process.isAuditing = false;
  }
}
