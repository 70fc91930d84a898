/**
 * Processes that sell, in a simulated world: the real steps of the sale, the real reading of what a facilitator says,
 * the real reconciler and the real proof of the wallet, on a real ledger in memory. What HTTP and Koa add is left out.
 */
import { collecting } from '../../../api/payments/collect.ts';
import { plainSpoken, settlementOf } from '../../../api/payments/facilitator.ts';
import { reconcile, type ChainEvidence } from '../../../api/payments/reconcile.ts';
import { noteDelivery, sell, type Settlement } from '../../../api/payments/sale.ts';
import { isOver, LedgerUnavailable, type Answer, type Ledger, type Payment, type Purchase } from '../../../ledger/ledger.ts';
import { answer, bodyOf } from '../purchases.ts';
import { PAY_TO, PRICE, type Chain } from './chain.ts';
import { facilitator } from './facilitator.ts';
import type { Process, World } from './world.ts';

export const EXCLUSIVE = 'GET /api/leads/exclusive';
export const LEASE_MS = 30_000;
/** What a settlement takes at most before the reconciler looks at it. */
const SETTLEMENT_MS = 120_000;
const COLLECT_MS = 30 * 86_400_000;
const ORIGIN = 'https://deals.example';
const [LEDGER_AWAY, LEDGER_SILENT, MAKING_FAILS, LINE_BREAKS] = [0.015, 0.015, 0.02, 0.08];

export interface Request {
  readonly route: string;
  readonly request: string;
  readonly payment: Payment;
  readonly identifierHash: string | null;
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
  /** Whether the chain showed its payment as paid to us then. */
  readonly wasPaid: boolean;
  /** Whether the ledger had it as sold then. */
  readonly wasWritten: boolean;
}

/** The steps that may be replaced by faulty ones, to see that the simulation notices. */
export interface Parts {
  readonly sell: typeof sell;
  readonly plainSpoken: typeof plainSpoken;
  readonly reconcile: typeof reconcile;
  /** What of the ledger is replaced. */
  readonly ledger: (ledger: Ledger) => Partial<Ledger>;
  readonly settlement: (settlement: Settlement) => Settlement;
  readonly evidence: (chain: ChainEvidence, nowMs: () => number) => ChainEvidence;
  readonly mayCollect: (purchase: Purchase, request: Request) => boolean;
}

export const realParts: Parts = {
  sell, plainSpoken, reconcile,
  ledger: () => ({}),
  settlement: (settlement) => settlement,
  evidence: (chain) => chain,
  // As api/payments/middleware.ts has it: the payer's own identifier, for the same request. Everybody can have the signature.
  mayCollect: (purchase, { identifierHash, payment, route, request }) =>
    identifierHash !== null && purchase.identifierHash === identifierHash && purchase.payment.payer === payment.payer && purchase.route === route && purchase.request === request,
};

/** The ledger as a process has it: every call waits for its turn, and may find the ledger away, before or after it wrote. */
function seenBy(world: World, process: Process, ledger: Ledger, replaced: Partial<Ledger>): Ledger {
  return new Proxy(ledger, {
    get(target, name: keyof Ledger) {
      return async (...given: unknown[]) => {
        await world.gate(process, `ledger.${name}`);
        if (world.mishap(LEDGER_AWAY)) throw new LedgerUnavailable(`${name}: away`);
        const result: unknown = await ((replaced[name] ?? target[name]) as (...args: unknown[]) => unknown).apply(target, given);
        if (world.mishap(LEDGER_SILENT)) throw new LedgerUnavailable(`${name}: no word of whether it was written`);
        return result;
      };
    },
  });
}

/** In this world a wallet's signature is its address. */
export const signatureOf = (address: string): `0x${string}` => `0x${address.slice(2).toLowerCase()}`;

export interface ServerOptions {
  readonly world: World;
  readonly chain: Chain;
  readonly ledger: Ledger;
  readonly parts: Parts;
  readonly leads: readonly string[];
}

export class Server {
  readonly sent: Sent[] = [];
  /** Purchases whose settlement was of unknown outcome. */
  readonly unknown = new Set<string>();
  readonly #options: ServerOptions;

  readonly #replaced: Partial<Ledger>;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#replaced = options.parts.ledger(options.ledger);
  }

  #nowMs(process: Process): number { return this.#options.world.nowMs + process.skewMs; }

  #seen(process: Process): Ledger { return seenBy(this.#options.world, process, this.#options.ledger, this.#replaced); }

  /** Send a request to a process. The reply comes, or the line breaks. */
  ask(process: Process, client: string, work: () => Promise<Reply>): Promise<Reply> {
    if (!process.alive) return Promise.resolve({ kind: 'broken' });
    return new Promise((resolve) => {
      const broken = (): void => { resolve({ kind: 'broken' }); };
      process.connections.add(broken);
      const reply = async (): Promise<void> => {
        let result: Reply;
        try { result = await work(); } catch (error) {
          if (!(error instanceof LedgerUnavailable) && !(error instanceof MakingFailed)) throw error;
          result = { kind: 'refused', why: error.message };
        }
        process.connections.delete(broken);
        resolve(result);
      };
      this.#options.world.say(client, `asks ${process.name}`);
      void reply();
    });
  }

  buy(process: Process, client: string, request: Request): Promise<Reply> {
    return this.ask(process, client, () => this.#buy(process, client, request));
  }

  async #buy(process: Process, client: string, request: Request): Promise<Reply> {
    const { world, chain, parts } = this.#options;
    const ledger = this.#seen(process);
    const nowMs = (): number => this.#nowMs(process);
    const { payment, identifierHash } = request;
    const standing = (p: Purchase | null): Purchase | null => (p && isOver(p, nowMs()) ? null : p);
    const taken = (identifierHash === null ? null : standing(await ledger.find({ payer: payment.payer, identifierHash }))) ?? standing(await ledger.find({ payment }));
    if (taken) return this.#answerTaken(ledger, process, client, taken, request);
    await world.gate(process, 'verifies');
    if (payment.payTo !== PAY_TO || payment.amount !== PRICE || !chain.canSettle(payment)) return { kind: 'refused', why: 'the payment is not valid' };

    const payload = { payment };
    const client_ = parts.plainSpoken(facilitator(world, chain, () => payment));
    const settle = async (): Promise<Settlement> => {
      await world.gate(process, 'asks for settlement');
      const { settlement } = await settlementOf(async () => {
        let result = await client_.settle(payload as never, {} as never);
        // The server code of the protocol asks once more for what is pending.
        if (!result.success && result.errorReason === 'settlement_pending') result = await client_.settle(payload as never, {} as never);
        const { transaction, network, errorReason = '' } = result;
        return result.success ? { success: true, transaction, network, headers: {}, requirements: {} as never }
          : { success: false, transaction, network, errorReason, headers: {}, response: {} as never };
      });
      await world.gate(process, `is told: ${settlement.kind}`);
      return parts.settlement(settlement);
    };
    const outcome = await parts.sell({
      ledger, nowMs, settle,
      pause: (ms) => world.gate(process, `pauses ${ms} ms`),
      make: async ({ purchase, claim }) => {
        if (world.mishap(MAKING_FAILS)) throw new MakingFailed('the handler threw');
        if (request.route !== EXCLUSIVE) return world.mishap(MAKING_FAILS) ? null : answer(`list for ${request.request}`);
        const claimed = await ledger.claimedLeads(nowMs());
        const lead = await claim(this.#options.leads.filter((id) => !claimed.has(id)));
        return lead === null ? null : answer(`lead ${lead} on receipt ${purchase.id}`);
      },
    }, { payment, identifierHash, route: request.route, request: request.request, snapshotId: 'run-1', leaseMs: LEASE_MS });
    switch (outcome.kind) {
      case 'sold': return this.#send(ledger, process, client, outcome.purchase, outcome.answer, 'first');
      case 'taken': return this.#answerTaken(ledger, process, client, outcome.purchase, request);
      case 'unknown':
        this.unknown.add(outcome.purchase.id);
        return { kind: 'refused', why: `unknown: ${outcome.why}` };
      default: return { kind: 'refused', why: outcome.kind };
    }
  }

  async #answerTaken(ledger: Ledger, process: Process, client: string, purchase: Purchase, request: Request): Promise<Reply> {
    if (!this.#options.parts.mayCollect(purchase, request) || purchase.state !== 'sold') return { kind: 'refused', why: `taken by a ${purchase.state} purchase` };
    const kept = await ledger.answerOf(purchase.id);
    return kept ? this.#send(ledger, process, client, purchase, kept, 'identifier') : { kind: 'refused', why: 'its answer is not kept' };
  }

  async #send(ledger: Ledger, process: Process, client: string, purchase: Purchase, sold: Answer, kind: 'first' | 'identifier' | 'wallet'): Promise<Reply> {
    const { world, chain } = this.#options;
    const body = String(await bodyOf(sold));
    await world.gate(process, `sends ${purchase.id.slice(-2)} to ${client}`);
    const broken = world.mishap(LINE_BREAKS);
    // What is lost on the line may have been read all the same, by whom it was meant for.
    const written = await this.#options.ledger.find({ id: purchase.id });
    this.sent.push({ to: client, purchase, body, wasPaid: chain.paid(purchase.payment) !== null, wasWritten: written?.state === 'sold' });
    void noteDelivery(ledger, purchase, kind, !broken, this.#nowMs(process));
    return broken ? { kind: 'broken' } : { kind: 'answer', body, receipt: purchase.id };
  }

  /** Collect by proof of a wallet: the challenge of the process, signed by `wallet`, which says it is `claims`. */
  collect(process: Process, client: string, idOrNonce: string, wallet: string, claims = wallet): Promise<Reply> {
    return this.ask(process, client, async () => {
      const ledger = this.#seen(process);
      const proof = collecting({
        ledger, publicUrl: ORIGIN, secret: 'the same on every process', nowMs: () => this.#nowMs(process),
        signatures: { authorization: async () => true, text: async ({ address, signature }) => signature === signatureOf(address) },
      });
      const uri = `${ORIGIN}/api/purchases/${idOrNonce}`;
      const { info, supportedChains } = proof.challenge(uri);
      const header = Buffer.from(JSON.stringify({ ...info, ...supportedChains[0], address: claims, signature: signatureOf(wallet) })).toString('base64');
      await this.#options.world.gate(process, 'reads a signed challenge');
      const found = await proof.collect(uri, idOrNonce, header);
      if (found.kind !== 'purchase') return { kind: 'refused', why: found.kind === 'refused' ? found.why : 'no such purchase' };
      const kept = found.purchase.state === 'sold' ? await ledger.answerOf(found.purchase.id) : null;
      return kept ? this.#send(ledger, process, client, found.purchase, kept, 'wallet') : { kind: 'refused', why: `it is ${found.purchase.state}` };
    });
  }

  /** What a process does from time to time, and at its start. */
  async watch(process: Process, everything: boolean): Promise<void> {
    const { chain, parts } = this.#options;
    const ledger = this.#seen(process);
    const nowMs = (): number => this.#nowMs(process);
    await parts.reconcile({ ledger, chain: parts.evidence(chain.evidenceFor(process), nowMs), nowMs }, everything ? 0 : SETTLEMENT_MS);
    try {
      await ledger.giveUpAbandoned(nowMs());
      await ledger.forgetAnswers(nowMs() - COLLECT_MS);
    } catch (error) { if (!(error instanceof LedgerUnavailable)) throw error; }
  }
}

class MakingFailed extends Error {
  override readonly name = 'MakingFailed';
}
