/**
 * Makes one call and pays for it within caps: request, check the price, sign, count the payment, request again. The
 * price is always the one in the 402, never an advertised one. What the server responds changes nothing of the count.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  encodePaymentSignatureHeader,
} from '@x402/core/http';
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from '@x402/core/types';
import type { ExactEIP3009Payload } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import type { PrivateKeyAccount } from 'viem/accounts';
import { messageOf } from '../lib/errors.ts';
import { readProblem, type Refusal } from '../lib/mcp/results.ts';
import { BASE, type Network, usdOf } from '../lib/network.ts';
import { RECEIPT_HEADER } from '../lib/receipt.ts';
import { collect, purchaseUrl } from './collect.ts';
import type { Counted, SignedPayment, Spending } from './spending.ts';
import { readUse, type Wallet } from './wallet.ts';

/** Longest time for which an authorization may be valid. */
const MAX_VALID_SECONDS = 900;
const UNPAID_TIMEOUT_MS = 60_000;
/** A paid call includes settlement, and a large response takes two minutes to prepare. */
const PAID_TIMEOUT_MS = 240_000;
/** Attempts to collect a response whose outcome is unknown, and the default time between them. */
const COLLECT_ATTEMPTS = 5;
const COLLECT_EVERY_MS = 2_000;

/** A call without a response, refused by this client or by the server. */
export type Refused = Refusal & { readonly kind: 'refused' };

/** Why this client did not pay. */
type ClientReason =
  | 'no_wallet'
  | 'price_above_call_cap'
  | 'price_above_total_cap'
  | 'terms_not_accepted'
  | 'server_unreachable'
  | 'outcome_unknown';

const refused = (reason: ClientReason, detail: string, more: Partial<Refusal> = {}): Refused => ({
  kind: 'refused',
  reason,
  detail,
  billed: false,
  ...more,
});

/** An error response of the server. */
const readRefusal = async (response: Response): Promise<Refused> => ({
  kind: 'refused',
  ...readProblem(await response.text(), response.status),
});

/** @param paid what this call paid, or null if it was free */
async function readResponse(response: Response, paid: bigint | null) {
  const { headers } = response;
  const settled = headers.get('PAYMENT-RESPONSE');
  return {
    kind: 'response' as const,
    type: (headers.get('Content-Type') ?? '').split(';')[0] ?? '',
    text: await response.text(),
    paid_usd: usdOf(paid ?? 0n),
    transaction: paid === null || settled === null ? null : decodePaymentResponseHeader(settled).transaction,
    /** Id by which the wallet that paid collects the response again. */
    receipt_id: headers.get('Receipt-Id'),
    snapshot_id: headers.get('X-Snapshot-Id'),
    /** The receipt that the server signed. */
    signed_receipt: headers.get(RECEIPT_HEADER),
    /** Whether the call was bought before, and is answered again for free. */
    isRepeat: false,
  };
}

export type CallResponse = Awaited<ReturnType<typeof readResponse>>;
type Outcome = CallResponse | Refused;

interface PaymentOffer {
  readonly required: PaymentRequired;
  readonly terms: PaymentRequirements;
  readonly price: bigint;
}

/** The terms in a 402: an EIP-3009 transfer of USDC on the wallet's network, valid for a short time. */
function readOffer(response: Response, { name, usdc }: Network): PaymentOffer | Refused {
  const notAccepted = (detail: string): Refused => refused('terms_not_accepted', detail);
  let required: PaymentRequired;
  try {
    required = decodePaymentRequiredHeader(response.headers.get('PAYMENT-REQUIRED') ?? '');
  } catch {
    return notAccepted('The server requires a payment but sent no PAYMENT-REQUIRED header that can be decoded.');
  }
  const terms = required.accepts.find(
    ({ scheme, network, asset, extra }) =>
      scheme === 'exact' &&
      network === name &&
      asset.toLowerCase() === usdc.address.toLowerCase() &&
      // A Permit2 payment has another nonce, which the token's authorizationState does not know.
      (extra?.['assetTransferMethod'] ?? 'eip3009') === 'eip3009',
  );
  if (!terms || !/^\d{1,15}$/.test(terms.amount)) return notAccepted(`The server does not accept USDC on ${name}.`);
  const { maxTimeoutSeconds: seconds } = terms;
  if (!(seconds > 0 && seconds <= MAX_VALID_SECONDS))
    return notAccepted(
      `The server requires a payment that is valid for ${seconds} seconds; this client signs at most ` +
        `${MAX_VALID_SECONDS}.`,
    );
  return { required, terms, price: BigInt(terms.amount) };
}

interface BuyerOptions {
  /** The wallet that pays, read for each call; undefined if there is none. */
  readonly wallet: () => Promise<Wallet | undefined>;
  readonly spending: Spending;
  /** Network on which the wallet has USDC. Default: Base. */
  readonly network?: Network;
  /** Time between two attempts to collect a lost response. */
  readonly collectEveryMs?: number;
}

/** What a payload commits its payer to, read from the signed authorization itself. */
function signedPayment({ payload }: PaymentPayload, network: string): SignedPayment {
  const { from, nonce, value, validBefore } = (payload as unknown as ExactEIP3009Payload).authorization;
  return { payer: from.toLowerCase(), nonce, network, amount: BigInt(value), validBefore: BigInt(validBefore) };
}

/** GET without following redirects: a payment goes only to the configured server. Null if there is no response. */
const get = (url: URL, timeoutMs: number, payment?: string): Promise<Response | null> =>
  fetch(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    headers: payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment },
  }).catch(() => null);

/** The response of a purchase, if the server has it. Null if that is not known yet. */
async function collectOnce(url: URL, payer: PrivateKeyAccount, { name }: Network): Promise<Outcome | null> {
  const response = await collect(url, payer, name);
  if (response === null || response.status === 202) return null;
  if (response.status !== 200) return readRefusal(response);
  return readResponse(response, 0n).catch(() => null);
}

export type Buyer = ReturnType<typeof createBuyer>;

export function createBuyer({
  wallet: walletOf,
  spending,
  network = BASE,
  collectEveryMs = COLLECT_EVERY_MS,
}: BuyerOptions) {
  const { caps } = spending;

  /** What counts toward the total, after payments that have expired are looked up at the wallet's node. */
  const count = async (wallet: Wallet | undefined): Promise<Counted> => {
    if (!wallet) return { spent: 0n, held: 0n };
    const { account, rpcUrl } = wallet;
    const now = BigInt(Math.floor(Date.now() / 1000));
    const expired = rpcUrl === null ? [] : spending.expired(account.address, network.name, now);
    if (rpcUrl !== null && expired.length > 0) {
      // Without an answer of the node, everything stays counted.
      const read = await readUse(rpcUrl, network, expired).catch(() => []);
      for (const [payment, isUsed] of read) spending.resolve(payment, isUsed);
    }
    return spending.count(account.address);
  };

  /** A refusal if the price exceeds a cap. */
  const checkCaps = (price: bigint, spent: bigint): Refused | null => {
    const price_usd = usdOf(price);
    const above = (cap: 'price_above_call_cap' | 'price_above_total_cap', limit: string): Refused =>
      refused(cap, `The call costs $${price_usd}; ${limit}. Nothing was sent.`, { price_usd });
    const { perCall, total } = caps;
    if (price > perCall)
      return above('price_above_call_cap', `this client pays at most $${usdOf(perCall)} per call (MAX_PER_CALL)`);
    if (spent + price <= total) return null;
    return above(
      'price_above_total_cap',
      `payments of $${usdOf(spent)} are signed, and this client signs at most $${usdOf(total)} (MAX_TOTAL)`,
    );
  };

  /** Collect a purchase whose response was lost. */
  const recover = async (url: URL, payer: PrivateKeyAccount): Promise<Outcome | null> => {
    for (let attempt = 0; attempt < COLLECT_ATTEMPTS; attempt += 1) {
      if (attempt > 0) await pause(collectEveryMs);
      const found = await collectOnce(url, payer, network);
      if (found !== null && (found.kind === 'response' || found.reason === 'purchase_released')) return found;
    }
    return null;
  };

  /** Send the signed payment. The outcome is final: a lost response is collected if possible. */
  const send = async (url: URL, payer: PrivateKeyAccount, payload: PaymentPayload, signed: SignedPayment) => {
    const response = await get(url, PAID_TIMEOUT_MS, encodePaymentSignatureHeader(payload));
    const { nonce, amount: price } = signed;
    const lost = refused(
      'outcome_unknown',
      'The response was lost after the payment was sent. It may have been charged, so its amount stays counted. ' +
        `Collect it later as ${nonce}.`,
      { billed: null },
    );
    let outcome: Outcome = lost;
    if (response?.status === 200) outcome = await readResponse(response, price).catch(() => lost);
    else if (response !== null) outcome = await readRefusal(response).catch(() => lost);
    if (outcome.kind === 'response' && outcome.snapshot_id !== null) spending.answered(signed, outcome.snapshot_id);
    if (outcome.kind === 'response' || outcome.billed !== null) return outcome;
    // It may have been charged. If it was, the response can be collected.
    const found = await recover(purchaseUrl(url.origin, nonce), payer);
    if (found === null) return outcome;
    return found.kind === 'response' ? { ...found, paid_usd: usdOf(price) } : { ...found, billed: false as const };
  };

  /** Sign, count the payment, and send it. */
  const pay = async (url: URL, payer: PrivateKeyAccount, { required, terms, price }: PaymentOffer) => {
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
    if (spending.hold(signed, url.href)) return send(url, payer, payload, signed);
    return (
      checkCaps(price, spending.count(payer.address).spent) ??
      refused('price_above_total_cap', 'The total is spent. Nothing was sent.')
    );
  };

  return {
    /** Make a call, and pay for it if it has a price and was not bought in the same snapshot before. */
    async call(url: URL): Promise<Outcome> {
      const response = await get(url, UNPAID_TIMEOUT_MS);
      if (response === null) return refused('server_unreachable', `${url.origin} did not respond. Nothing was signed.`);
      if (response.status === 200) return readResponse(response, null);
      if (response.status !== 402) return readRefusal(response);
      await response.body?.cancel();
      const offer = readOffer(response, network);
      if ('kind' in offer) return offer;
      const wallet = await walletOf();
      const price_usd = usdOf(offer.price);
      const none = `The call costs $${price_usd} and this client has no wallet: set BUYER_KEY_FILE.`;
      if (!wallet) return refused('no_wallet', none, { price_usd });
      const { account } = wallet;
      const snapshotId = response.headers.get('X-Snapshot-Id');
      const nonce = snapshotId === null ? undefined : spending.boughtIn(account.address, url.href, snapshotId);
      const again = nonce === undefined ? null : await collectOnce(purchaseUrl(url.origin, nonce), account, network);
      if (again?.kind === 'response') return { ...again, isRepeat: true };
      const { spent } = await count(wallet);
      return checkCaps(offer.price, spent) ?? pay(url, account, offer);
    },

    /** Collect a paid response again, by its receipt or the nonce of its payment. Free. */
    async collect(base: string, idOrNonce: string): Promise<Outcome> {
      const wallet = await walletOf();
      if (!wallet)
        return refused('no_wallet', 'Only the wallet that paid can collect. This client has none: set BUYER_KEY_FILE.');
      const found = await collectOnce(purchaseUrl(base, idOrNonce), wallet.account, network);
      const unknown = 'The outcome is not known yet, or the server did not respond. Try again later.';
      return found ?? refused('outcome_unknown', unknown, { billed: null });
    },

    /** Address, spending and caps of the wallet. `held_usd` is the part of `spent_usd` that the chain may free. */
    async budget() {
      const wallet = await walletOf();
      const { spent, held } = await count(wallet);
      return {
        payer: wallet?.account.address ?? null,
        spent_usd: usdOf(spent),
        held_usd: usdOf(held),
        max_per_call_usd: usdOf(caps.perCall),
        max_total_usd: usdOf(caps.total),
        left_usd: usdOf(caps.total > spent ? caps.total - spent : 0n),
      };
    },
  };
}
