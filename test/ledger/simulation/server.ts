/**
 * The processes of a server in a simulated world. They run the real check of the payer, the real sale, evidence,
 * reconciler and audit, and the real proof of the wallet, on a real ledger in memory. HTTP and Koa are left out.
 */
import type { PaymentChain } from '../../../api/payments/chain/payment_chain.ts';
import type { Signatures } from '../../../api/payments/chain/signatures.ts';
import { purchaseCollector } from '../../../api/payments/collect.ts';
import { recordDelivery } from '../../../api/payments/sale.ts';
import type { Answer, DeliveryKind, Ledger, Purchase } from '../../../ledger/ledger.ts';
import { bodyOf } from '../purchases.ts';
import { PAY_TO } from './chain.ts';
import { Facilitator, settleThrough, type Settle } from './facilitator.ts';
import { ledgerView } from './ledger_view.ts';
import { nodeFor } from './node.ts';
import { buy } from './purchase.ts';
import { isExpected, type Reply, type Request, type Sent, type ServerOptions, type Session } from './session.ts';
import type { Process } from './world.ts';

/** How long a settlement may take before the reconciler checks it. */
const SETTLEMENT_MS = 45_000;
const ORIGIN = 'https://deals.example';
const CONNECTION_BREAKS = 0.08;

/** In this world a wallet's signature of a text is its address. */
const signatureOf = (address: string): `0x${string}` => `0x${address.slice(2).toLowerCase()}`;

/** The wallet that signs a challenge, and the address that it claims to be. */
export interface Proof {
  readonly wallet: string;
  readonly claims: string;
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
    const { world, chain, facilitators } = options;
    const all = Array.from({ length: facilitators }, () => new Facilitator(world, chain));
    this.#settle = settleThrough(all, world);
    this.#replaced = options.parts.ledger(options.ledger);
  }

  /** Send a request to a process. The reply arrives, or the connection breaks. */
  #request(process: Process, client: string, work: () => Promise<Reply>): Promise<Reply> {
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
      this.#options.world.log(client, `sends a request to ${process.name}`);
      reply().then(resolve, reject);
    });
  }

  buy(process: Process, client: string, request: Request): Promise<Reply> {
    return this.#request(process, client, () => buy(this.#session(process, client), request));
  }

  /** Collect a purchase with the signed challenge of a process. */
  collect(process: Process, client: string, idOrNonce: string, { wallet, claims }: Proof): Promise<Reply> {
    return this.#request(process, client, async () => {
      const session = this.#session(process, client);
      const { ledger, nowMs } = session;
      const signatures = {
        text: async ({ address, signature }: { address: string; signature: string }) =>
          signature === signatureOf(address),
      } as unknown as Signatures;
      const { network } = this.#options.chain;
      const secret = 'the same on every process';
      const proof = purchaseCollector({
        ledger,
        publicUrl: ORIGIN,
        secret,
        nowMs,
        network,
        signatures,
      });
      const uri = `${ORIGIN}/api/purchases/${idOrNonce}`;
      const { info, supportedChains } = proof.challenge(uri);
      const signed = { ...info, ...supportedChains[0], address: claims, signature: signatureOf(wallet) };
      const header = Buffer.from(JSON.stringify(signed)).toString('base64');
      await this.#options.world.gate(process, 'reads a signed challenge');
      const found = await proof.collect(uri, idOrNonce, header);
      if (found.kind !== 'purchase') {
        return { kind: 'refused', why: found.kind === 'refused' ? found.why : 'no such purchase' };
      }
      const stored = found.purchase.state === 'sold' ? await ledger.answerOf(found.purchase.id) : null;
      return stored
        ? session.send(found.purchase, stored, 'wallet')
        : { kind: 'refused', why: `it is ${found.purchase.state}` };
    });
  }

  /** The work of the settlement watcher. */
  async watch(process: Process, everything: boolean): Promise<void> {
    const { parts, limits } = this.#options;
    const ledger = this.#ledgerOf(process);
    const chain = this.#chainOf(process);
    const nowMs = (): number => this.#nowMs(process);
    await parts.reconcile({ ledger, chain, money: 'real', nowMs }, everything ? 0 : SETTLEMENT_MS);
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
        ledger: this.#ledgerOf(process),
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

  #nowMs(process: Process): number {
    return this.#options.world.nowMs + process.skewMs;
  }

  #ledgerOf(process: Process): Ledger {
    const { world, ledger, checks } = this.#options;
    return ledgerView({ world, process, ledger, replaced: this.#replaced, checks });
  }

  #chainOf(process: Process): PaymentChain {
    const known = this.#chains.get(process.name);
    if (known) return known;
    const { world, chain, parts } = this.#options;
    const made = parts.evidence(parts.paymentChain(nodeFor(world, chain, process), chain.network), () =>
      this.#nowMs(process),
    );
    this.#chains.set(process.name, made);
    return made;
  }

  #session(process: Process, client: string): Session {
    const ledger = this.#ledgerOf(process);
    const session: Session = {
      options: this.#options,
      process,
      client,
      ledger,
      chain: this.#chainOf(process),
      nowMs: () => this.#nowMs(process),
      settle: this.#settle,
      asked: this.asked,
      unknown: this.unknown,
      send: (purchase, sold, kind) => this.#send(session, purchase, sold, kind),
    };
    return session;
  }

  async #send(session: Session, purchase: Purchase, sold: Answer, kind: DeliveryKind): Promise<Reply> {
    const { process, client, ledger } = session;
    const { world, chain } = this.#options;
    const body = String(await bodyOf(sold));
    await world.gate(process, `sends ${purchase.id.slice(-2)} to ${client}`);
    const isBroken = world.mishap(CONNECTION_BREAKS);
    // The buyer may have read an answer although the connection broke.
    const written = await this.#options.ledger.find({ id: purchase.id });
    this.sent.push({
      to: client,
      purchase,
      body,
      wasPaid: chain.wasEverPaid(purchase.payment),
      wasWritten: written?.state === 'sold',
    });
    const delivery = { purchaseId: purchase.id, kind, atMs: this.#nowMs(process), isComplete: !isBroken };
    recordDelivery(ledger, delivery).catch(() => undefined);
    return isBroken ? { kind: 'broken' } : { kind: 'answer', body, receipt: purchase.id };
  }
}
