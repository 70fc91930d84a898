/**
 * Makes one call and pays for it within caps: request, check the price, sign, count the payment, request again. The
 * price is always the one in the 402, never an advertised one. What the server responds changes nothing of the count.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from '@x402/core/types';
import type { ExactEIP3009Payload } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import type { PrivateKeyAccount } from 'viem/accounts';
import { messageOf } from '../lib/errors.ts';
import { BASE, type Network, usdOf } from '../lib/network.ts';
import { collect, purchaseUrl } from './collect.ts';
import {
  type CallResponse,
  type Quoted,
  readRefusal,
  readResponse,
  refused,
  type Refused,
  SNAPSHOT_HEADER,
} from './outcome.ts';
import type { Caps, Counted, SignedPayment, Spending } from './spending.ts';
import { readUse, type Wallet } from './wallet.ts';

/** Longest time for which an authorization may be valid. */
const MAX_VALID_SECONDS = 900;

interface PaymentOffer {
  readonly required: PaymentRequired;
  readonly terms: PaymentRequirements;
  readonly price: bigint;
}

/** The terms in a 402: an EIP-3009 transfer of USDC on the wallet's network, valid for a short time. */
function readOffer(response: Response, { name, usdc }: Network): PaymentOffer | Refused {
  const header = response.headers.get('PAYMENT-REQUIRED');
  if (header === null)
    return refused('terms_not_accepted', 'The server requires a payment but sent no PAYMENT-REQUIRED header.');
  let required: PaymentRequired;
  try {
    required = decodePaymentRequiredHeader(header);
  } catch {
    return refused('terms_not_accepted', 'The PAYMENT-REQUIRED header of the server cannot be decoded.');
  }
  const terms = required.accepts.find(
    ({ scheme, network, asset, extra }) =>
      scheme === 'exact' &&
      network === name &&
      asset.toLowerCase() === usdc.address.toLowerCase() &&
      // A Permit2 payment has another nonce, which the token's authorizationState does not know.
      (extra?.['assetTransferMethod'] ?? 'eip3009') === 'eip3009',
  );
  if (!terms || !/^\d{1,15}$/.test(terms.amount))
    return refused('terms_not_accepted', `The server does not accept USDC on ${name}.`);
  if (!(terms.maxTimeoutSeconds > 0 && terms.maxTimeoutSeconds <= MAX_VALID_SECONDS)) {
    return refused(
      'terms_not_accepted',
      `The server requires a payment that is valid for ${terms.maxTimeoutSeconds} seconds; this client signs at ` +
        `most ${MAX_VALID_SECONDS}.`,
    );
  }
  return { required, terms, price: BigInt(terms.amount) };
}

/** A refusal if the price exceeds a cap. */
function checkCaps(price: bigint, { perCall, total }: Caps, spent: bigint): Refused | null {
  const price_usd = usdOf(price);
  if (price > perCall)
    return refused(
      'price_above_call_cap',
      `The call costs $${price_usd}; this client pays at most $${usdOf(perCall)} per call (MAX_PER_CALL). ` +
        'Nothing was sent.',
      false,
      { price_usd },
    );
  if (spent + price > total)
    return refused(
      'price_above_total_cap',
      `The call costs $${price_usd}; payments of $${usdOf(spent)} are signed, and this client signs at most ` +
        `$${usdOf(total)} (MAX_TOTAL). Nothing was sent.`,
      false,
      { price_usd },
    );
  return null;
}

const UNPAID_TIMEOUT_MS = 60_000;
/** A paid call includes settlement, and a large response takes two minutes to prepare. */
const PAID_TIMEOUT_MS = 240_000;
/** Attempts to collect a response whose outcome is unknown, and the default time between them. */
const COLLECT_ATTEMPTS = 5;
const COLLECT_EVERY_MS = 2_000;

interface BuyerOptions {
  /** The wallet that pays, read for each call; undefined if there is none. */
  readonly wallet: () => Promise<Wallet | undefined>;
  readonly spending: Spending;
  /** Network on which the wallet has USDC. Default: Base. */
  readonly network?: Network;
  /** Time between two attempts to collect a lost response. */
  readonly collectEveryMs?: number;
}

export interface Buyer {
  /** The price of a call, without paying. */
  quote(url: URL): Promise<Quoted | Refused>;
  /** Make a call, and pay for it if it has a price and was not bought in the same snapshot before. */
  call(url: URL): Promise<CallResponse | Refused>;
  /** Collect a paid response again, by its receipt or the nonce of its payment. Free. */
  collect(base: string, idOrNonce: string): Promise<CallResponse | Refused>;
  /** Address, spending and caps of the wallet. `held_usd` is the part of `spent_usd` that the chain may free. */
  budget(): Promise<{
    payer: string | null;
    spent_usd: string;
    held_usd: string;
    max_per_call_usd: string;
    max_total_usd: string;
    left_usd: string;
  }>;
}

/** What a payload commits its payer to, read from the signed authorization itself. */
function signedPayment({ payload }: PaymentPayload, network: string): SignedPayment {
  const { from, nonce, value, validBefore } = (payload as unknown as ExactEIP3009Payload).authorization;
  return { payer: from.toLowerCase(), nonce, network, amount: BigInt(value), validBefore: BigInt(validBefore) };
}

const unreachable = (url: URL): Refused =>
  refused('server_unreachable', `${url.origin} did not respond. Nothing was signed.`);

/** GET without following redirects: a payment goes only to the configured server. Null if there is no response. */
const get = (url: URL, timeoutMs: number, payment?: string): Promise<Response | null> =>
  fetch(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    headers: payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment },
  }).catch(() => null);

/** The response of a purchase, if the server has it. Null if that is not known yet. */
async function collectOnce(
  url: URL,
  payer: PrivateKeyAccount,
  { name }: Network,
): Promise<CallResponse | Refused | null> {
  const response = await collect(url, payer, name);
  if (response === null || response.status === 202) return null;
  if (response.status !== 200) return readRefusal(response);
  return readResponse(response, 0n).catch(() => null);
}

/** A signed payment for one call. */
interface SignedCall {
  readonly url: URL;
  readonly payer: PrivateKeyAccount;
  readonly payload: PaymentPayload;
  readonly signed: SignedPayment;
}

const FREE_QUOTE: Quoted = {
  kind: 'quoted',
  price_usd: '0.00',
  pay_to: null,
  network: null,
  within_call_cap: true,
  within_total_cap: true,
};

class PayingClient implements Buyer {
  readonly #wallet: BuyerOptions['wallet'];
  readonly #spending: Spending;
  readonly #network: Network;
  readonly #collectEveryMs: number;

  constructor({ wallet, spending, network = BASE, collectEveryMs = COLLECT_EVERY_MS }: BuyerOptions) {
    this.#wallet = wallet;
    this.#spending = spending;
    this.#network = network;
    this.#collectEveryMs = collectEveryMs;
  }

  async quote(url: URL): Promise<Quoted | Refused> {
    const response = await get(url, UNPAID_TIMEOUT_MS);
    if (response === null) return unreachable(url);
    if (response.status !== 200 && response.status !== 402) return readRefusal(response);
    await response.body?.cancel();
    if (response.status === 200) return FREE_QUOTE;
    const offer = readOffer(response, this.#network);
    if ('kind' in offer) return offer;
    const { caps } = this.#spending;
    const { spent } = await this.#count(await this.#wallet());
    return {
      kind: 'quoted',
      price_usd: usdOf(offer.price),
      pay_to: offer.terms.payTo,
      network: offer.terms.network,
      within_call_cap: offer.price <= caps.perCall,
      within_total_cap: spent + offer.price <= caps.total,
    };
  }

  async call(url: URL): Promise<CallResponse | Refused> {
    const response = await get(url, UNPAID_TIMEOUT_MS);
    if (response === null) return unreachable(url);
    if (response.status === 200) return readResponse(response, null);
    if (response.status !== 402) return readRefusal(response);
    await response.body?.cancel();
    const offer = readOffer(response, this.#network);
    if ('kind' in offer) return offer;
    const wallet = await this.#wallet();
    const price = usdOf(offer.price);
    if (!wallet)
      return refused(
        'no_wallet',
        `The call costs $${price} and this client has no wallet: set BUYER_KEY_FILE.`,
        false,
        { price_usd: price },
      );
    const again = await this.#collectSame(url, wallet.account, response.headers.get(SNAPSHOT_HEADER));
    if (again) return again;
    const { caps } = this.#spending;
    const { spent } = await this.#count(wallet);
    return checkCaps(offer.price, caps, spent) ?? this.#pay(url, wallet.account, offer);
  }

  async collect(base: string, idOrNonce: string): Promise<CallResponse | Refused> {
    const payer = (await this.#wallet())?.account;
    if (!payer)
      return refused(
        'no_wallet',
        'Only the wallet that paid can collect, and this client has no wallet: set BUYER_KEY_FILE.',
      );
    const found = await collectOnce(purchaseUrl(base, idOrNonce), payer, this.#network);
    return (
      found ??
      refused('outcome_unknown', 'The outcome is not known yet, or the server did not respond. Try again later.', null)
    );
  }

  async budget(): ReturnType<Buyer['budget']> {
    const { caps } = this.#spending;
    const wallet = await this.#wallet();
    const { spent, held } = await this.#count(wallet);
    return {
      payer: wallet?.account.address ?? null,
      spent_usd: usdOf(spent),
      held_usd: usdOf(held),
      max_per_call_usd: usdOf(caps.perCall),
      max_total_usd: usdOf(caps.total),
      left_usd: usdOf(caps.total > spent ? caps.total - spent : 0n),
    };
  }

  /** What counts toward the total, after payments that have expired are looked up at the wallet's node. */
  async #count(wallet: Wallet | undefined): Promise<Counted> {
    if (!wallet) return { spent: 0n, held: 0n };
    const { address } = wallet.account;
    const now = BigInt(Math.floor(Date.now() / 1000));
    const expired = wallet.rpcUrl === null ? [] : this.#spending.expired(address, this.#network.name, now);
    if (wallet.rpcUrl !== null && expired.length > 0) {
      // Without an answer of the node, everything stays counted.
      const read = await readUse(wallet.rpcUrl, this.#network, expired).catch(() => []);
      for (const [payment, isUsed] of read) this.#spending.resolve(payment, isUsed);
    }
    return this.#spending.count(address);
  }

  /** The answer of the same call in the same snapshot, if it was bought today and can be collected. */
  async #collectSame(url: URL, payer: PrivateKeyAccount, snapshotId: string | null): Promise<CallResponse | null> {
    const nonce = snapshotId === null ? undefined : this.#spending.boughtIn(payer.address, url.href, snapshotId);
    if (nonce === undefined) return null;
    const found = await collectOnce(purchaseUrl(url.origin, nonce), payer, this.#network);
    return found?.kind === 'response' ? { ...found, isRepeat: true } : null;
  }

  /** Sign, count the payment, and send it. */
  async #pay(
    url: URL,
    payer: PrivateKeyAccount,
    { required, terms, price }: PaymentOffer,
  ): Promise<CallResponse | Refused> {
    const { caps } = this.#spending;
    const client = new x402Client()
      .register(terms.network, new ExactEvmScheme(payer))
      .setSpendControls({ maxAmountPerPayment: `$${usdOf(caps.perCall)}` });
    let payload: PaymentPayload;
    try {
      payload = await client.createPaymentPayload({ ...required, accepts: [terms] });
    } catch (error) {
      return refused('terms_not_accepted', `The payment could not be signed: ${messageOf(error)}`);
    }
    const signed = signedPayment(payload, terms.network);
    if (!this.#spending.hold(signed, url.href))
      return (
        checkCaps(price, caps, this.#spending.count(payer.address).spent) ??
        refused('price_above_total_cap', 'The total is spent. Nothing was sent.')
      );
    return this.#send({ url, payer, payload, signed });
  }

  /** Send the signed payment. The outcome is final: a lost response is collected if possible. */
  async #send({ url, payer, payload, signed }: SignedCall): Promise<CallResponse | Refused> {
    const response = await get(url, PAID_TIMEOUT_MS, encodePaymentSignatureHeader(payload));
    const { nonce, amount: price } = signed;
    const lost = refused(
      'outcome_unknown',
      'The response was lost after the payment was sent. It may have been charged, so its amount stays counted. ' +
        `Collect it later as ${nonce}.`,
      null,
    );
    let outcome: CallResponse | Refused = lost;
    if (response?.status === 200) outcome = await readResponse(response, price).catch(() => lost);
    else if (response !== null) outcome = await readRefusal(response).catch(() => lost);
    if (outcome.kind === 'response' && outcome.snapshot_id !== null)
      this.#spending.answered(signed, outcome.snapshot_id);
    if (outcome.kind === 'response' || outcome.billed !== null) return outcome;
    // It may have been charged. If it was, the response can be collected.
    const found = await this.#recover(purchaseUrl(url.origin, nonce), payer);
    if (found === null) return outcome;
    return found.kind === 'response' ? { ...found, paid_usd: usdOf(price) } : { ...found, billed: false };
  }

  /** Collect a purchase whose response was lost. */
  async #recover(url: URL, payer: PrivateKeyAccount): Promise<CallResponse | Refused | null> {
    for (let attempt = 0; attempt < COLLECT_ATTEMPTS; attempt += 1) {
      if (attempt > 0) await pause(this.#collectEveryMs);
      const found = await collectOnce(url, payer, this.#network);
      if (found !== null && (found.kind === 'response' || found.reason === 'purchase_released')) return found;
    }
    return null;
  }
}

export const createBuyer = (options: BuyerOptions): Buyer => new PayingClient(options);
