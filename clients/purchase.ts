/**
 * One call, paid within caps: ask, look at the price, put the money aside, sign, ask again. The price is always the
 * one the 402 asks, never the one announced, and it is refused before anything is signed where it passes a cap, is in
 * another asset or on another network, or asks for an authorization that stays valid for long.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  encodePaymentSignatureHeader,
} from '@x402/core/http';
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import type { PrivateKeyAccount } from 'viem/accounts';
import { dollarsOf, NETWORK, USDC } from '../lib/network.ts';
import { collect, purchaseAt } from './collect.ts';
import type { Caps, Spending } from './spending.ts';

/** Longest an authorization may stay valid, in seconds. */
const LONGEST_VALID_SECONDS = 900;
const ASK_MS = 60_000;
/** A paid call also settles, and a large answer takes two minutes to be made. */
const PAID_MS = 240_000;
/** Times a purchase of unknown outcome is asked for, and the usual time between, in milliseconds. */
const COLLECT_TIMES = 5;
const COLLECT_EVERY_MS = 2_000;

/** Why this client did not pay. */
export type OwnReason =
  | 'no_wallet'
  | 'price_above_call_cap'
  | 'price_above_total_cap'
  | 'terms_not_accepted'
  | 'server_unreachable'
  | 'outcome_unknown';

/** A call that gave no answer. `document` is the server's own problem document, where it sent one. */
export interface Refused {
  readonly kind: 'refused';
  /** Ours, or that of the server's problem document. */
  readonly reason: string;
  readonly detail: string;
  /** Null where it is not known. */
  readonly billed: false | null;
  readonly price_usd?: string;
  readonly document?: unknown;
}

export interface Answered {
  readonly kind: 'answered';
  readonly type: string;
  readonly text: string;
  readonly paid_usd: string;
  readonly transaction: string | null;
  /** By which the wallet that paid collects the answer again. */
  readonly receipt_id: string | null;
}

export interface Quoted {
  readonly kind: 'quoted';
  readonly price_usd: string;
  readonly pay_to: string | null;
  readonly network: string | null;
  readonly within_call_cap: boolean;
  readonly within_total_cap: boolean;
}

/** Dollars without needless zeros: "0.05", "1.5". */
export const usd = (atomic: bigint): string => dollarsOf(atomic).replace(/0{1,4}$/, '');

const refused = (
  reason: OwnReason,
  detail: string,
  billed: false | null = false,
  more: Pick<Refused, 'price_usd'> = {},
): Refused => ({ kind: 'refused', reason, detail, billed, ...more });

/** What the server said instead of an answer. */
async function serverRefusal(response: Response): Promise<Refused> {
  const text = await response.text();
  let document: Record<string, unknown> | null = null;
  try {
    document = JSON.parse(text) as Record<string, unknown>;
  } catch {
    /* not JSON: told by its status */
  }
  return {
    kind: 'refused',
    reason: typeof document?.['reason'] === 'string' ? document['reason'] : `http_${response.status}`,
    detail: typeof document?.['detail'] === 'string' ? document['detail'] : `The server answered ${response.status}.`,
    // What an answer without a word on billing cost is not known, unless it is a refusal of the request as such.
    billed: document?.['billed'] === false ? false : null,
    ...(document === null ? {} : { document }),
  };
}

interface Asked {
  readonly required: PaymentRequired;
  readonly terms: PaymentRequirements;
  readonly price: bigint;
}

/** What the 402 asks for, where it can be accepted at all. */
function termsOf(response: Response): Asked | Refused {
  const header = response.headers.get('PAYMENT-REQUIRED');
  if (header === null) return refused('terms_not_accepted', 'The server asks for a payment without saying which.');
  let required: PaymentRequired;
  try {
    required = decodePaymentRequiredHeader(header);
  } catch {
    return refused('terms_not_accepted', 'What the server asks for cannot be read.');
  }
  const terms = required.accepts.find(
    (a) => a.scheme === 'exact' && a.network === NETWORK && a.asset.toLowerCase() === USDC.toLowerCase(),
  );
  if (!terms || !/^\d{1,15}$/.test(terms.amount))
    return refused('terms_not_accepted', `The server does not ask for USDC on ${NETWORK}.`);
  if (!(terms.maxTimeoutSeconds > 0 && terms.maxTimeoutSeconds <= LONGEST_VALID_SECONDS)) {
    return refused(
      'terms_not_accepted',
      `The server asks for a payment that stays valid for ${terms.maxTimeoutSeconds} seconds; at most ${LONGEST_VALID_SECONDS} are signed.`,
    );
  }
  return { required, terms, price: BigInt(terms.amount) };
}

const capRefusal = (price: bigint, { perCall, total }: Caps, spent: bigint): Refused | null => {
  if (price > perCall)
    return refused(
      'price_above_call_cap',
      `The call costs $${usd(price)}; this client pays at most $${usd(perCall)} a call (MAX_PER_CALL). Nothing was signed.`,
      false,
      { price_usd: usd(price) },
    );
  if (spent + price > total)
    return refused(
      'price_above_total_cap',
      `The call costs $${usd(price)}; $${usd(spent)} of $${usd(total)} are spent (MAX_TOTAL). Nothing was signed.`,
      false,
      { price_usd: usd(price) },
    );
  return null;
};

/** The nonce of a signed payment, which names the purchase. */
const nonceOf = (payload: Readonly<Record<string, unknown>>): string =>
  String((payload['authorization'] as { nonce?: unknown } | undefined)?.nonce);

export interface BuyerOptions {
  /** Who pays, asked for each call; none where there is no wallet. */
  readonly account: () => Promise<PrivateKeyAccount | undefined>;
  readonly spending: Spending;
  /** Time between two looks for an answer that was lost, in milliseconds. */
  readonly collectEveryMs?: number;
}

export interface Buyer {
  /** The price of a call, which is not paid. */
  quote(url: URL): Promise<Quoted | Refused>;
  /** Make a call and pay for it where it costs something. */
  call(url: URL): Promise<Answered | Refused>;
  /** Get again what this wallet paid for, by its receipt or the nonce of its payment. Free. */
  collect(base: string, idOrNonce: string): Promise<Answered | Refused>;
  /** Address and money of the wallet. */
  budget(): Promise<{
    payer: string | null;
    spent_usd: string;
    max_per_call_usd: string;
    max_total_usd: string;
    left_usd: string;
  }>;
}

export function buyerOf({ account, spending, collectEveryMs = COLLECT_EVERY_MS }: BuyerOptions): Buyer {
  const { caps } = spending;
  // A redirect is not followed: what is paid goes to the server that was configured.
  const get = (url: URL, ms: number, payment?: string): Promise<Response | null> =>
    fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(ms),
      headers: payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment },
    }).catch(() => null);
  const unreachable = (url: URL): Refused =>
    refused('server_unreachable', `${url.origin} did not answer. Nothing was signed.`);
  const answered = async (response: Response, paid: bigint, transaction: string | null): Promise<Answered> => ({
    kind: 'answered',
    type: (response.headers.get('Content-Type') ?? '').split(';')[0] ?? '',
    text: await response.text(),
    paid_usd: usd(paid),
    transaction,
    receipt_id: response.headers.get('Receipt-Id'),
  });

  /** What was paid for and did not arrive, where the server has it. Null while that is not known. */
  const find = async (url: URL, payer: PrivateKeyAccount): Promise<Answered | Refused | null> => {
    const response = await collect(url, payer);
    if (response === null || response.status === 202) return null;
    if (response.status !== 200) return serverRefusal(response);
    const receipt = response.headers.get('PAYMENT-RESPONSE');
    return answered(response, 0n, receipt === null ? null : decodePaymentResponseHeader(receipt).transaction).catch(
      () => null,
    );
  };
  /** Look for a purchase whose answer was lost. */
  const recover = async (url: URL, payer: PrivateKeyAccount): Promise<Answered | Refused | null> => {
    for (let time = 0; time < COLLECT_TIMES; time += 1) {
      if (time > 0) await pause(collectEveryMs);
      const found = await find(url, payer);
      if (found !== null && (found.kind === 'answered' || found.reason === 'purchase_released')) return found;
    }
    return null;
  };

  /** Pay what was asked; money is put aside before anything is signed. */
  const pay = async (
    url: URL,
    payer: PrivateKeyAccount,
    { required, terms, price }: Asked,
  ): Promise<Answered | Refused> => {
    const reserved = spending.reserve(payer.address, url.pathname + url.search, price);
    if (reserved === null)
      return (
        capRefusal(price, caps, spending.spent(payer.address)) ??
        refused('price_above_total_cap', 'The total is spent. Nothing was signed.')
      );
    const client = new x402Client()
      .register(NETWORK, new ExactEvmScheme(payer))
      .setSpendControls({ maxAmountPerPayment: `$${usd(caps.perCall)}` });
    let payload: PaymentPayload;
    try {
      payload = await client.createPaymentPayload({ ...required, accepts: [terms] });
    } catch (error) {
      spending.end(reserved, 'released');
      return refused(
        'terms_not_accepted',
        `The payment could not be signed: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    const response = await get(url, PAID_MS, encodePaymentSignatureHeader(payload));
    const nonce = nonceOf(payload.payload);
    const lost = refused(
      'outcome_unknown',
      `The answer was lost after the payment was sent. It may have been charged, so its amount stays counted. Collect it later as ${nonce}.`,
      null,
    );
    let outcome: Answered | Refused;
    if (response?.status === 200) {
      const receipt = response.headers.get('PAYMENT-RESPONSE');
      outcome = await answered(
        response,
        price,
        receipt === null ? null : decodePaymentResponseHeader(receipt).transaction,
      ).catch(() => lost);
    } else outcome = response === null ? lost : await serverRefusal(response).catch(() => lost);
    if (outcome.kind === 'refused' && outcome.billed === null) {
      // What was charged can be collected, and of what was not the server says so.
      const found = await recover(purchaseAt(url.origin, nonce), payer);
      outcome =
        found?.kind === 'answered' ? { ...found, paid_usd: usd(price) } : found ? { ...found, billed: false } : outcome;
    }
    spending.end(
      reserved,
      outcome.kind === 'answered' ? 'spent' : outcome.billed === false ? 'released' : 'unknown',
      outcome.kind === 'answered' ? (outcome.transaction ?? undefined) : undefined,
    );
    return outcome;
  };

  return {
    async quote(url) {
      const response = await get(url, ASK_MS);
      if (response === null) return unreachable(url);
      if (response.status === 200) {
        await response.body?.cancel();
        return {
          kind: 'quoted',
          price_usd: '0.00',
          pay_to: null,
          network: null,
          within_call_cap: true,
          within_total_cap: true,
        };
      }
      if (response.status !== 402) return serverRefusal(response);
      await response.body?.cancel();
      const asked = termsOf(response);
      if ('kind' in asked) return asked;
      const spent = spending.spent((await account())?.address ?? '');
      return {
        kind: 'quoted',
        price_usd: usd(asked.price),
        pay_to: asked.terms.payTo,
        network: asked.terms.network,
        within_call_cap: asked.price <= caps.perCall,
        within_total_cap: spent + asked.price <= caps.total,
      };
    },
    async call(url) {
      const response = await get(url, ASK_MS);
      if (response === null) return unreachable(url);
      if (response.status === 200) return answered(response, 0n, null);
      if (response.status !== 402) return serverRefusal(response);
      await response.body?.cancel();
      const asked = termsOf(response);
      if ('kind' in asked) return asked;
      const payer = await account();
      if (!payer)
        return refused(
          'no_wallet',
          `The call costs $${usd(asked.price)} and this client has no wallet: set BUYER_KEY_FILE.`,
          false,
          { price_usd: usd(asked.price) },
        );
      return capRefusal(asked.price, caps, spending.spent(payer.address)) ?? pay(url, payer, asked);
    },
    async collect(base, idOrNonce) {
      const payer = await account();
      if (!payer)
        return refused(
          'no_wallet',
          'Only the wallet that paid can collect, and this client has none: set BUYER_KEY_FILE.',
        );
      return (
        (await find(purchaseAt(base, idOrNonce), payer)) ??
        refused('outcome_unknown', 'The server does not know yet, or did not answer. Try again in a while.', null)
      );
    },
    async budget() {
      const payer = (await account())?.address ?? null;
      const spent = spending.spent(payer ?? '');
      return {
        payer,
        spent_usd: usd(spent),
        max_per_call_usd: usd(caps.perCall),
        max_total_usd: usd(caps.total),
        left_usd: usd(caps.total > spent ? caps.total - spent : 0n),
      };
    },
  };
}
