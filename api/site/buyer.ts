/**
 * The sandbox buyer of the test purchase. It calls this server over its socket like any client and signs with the
 * sandbox's wallet. It signs on the server, not in the browser: the page works without JavaScript, uses the same
 * libraries as a client, and never gets a key.
 */
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  encodePaymentSignatureHeader,
} from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { dollarsOf } from '../../lib/network.ts';
import type { Chain } from '../payments/local_chain/chain.ts';

/** Maximum signed for one call. */
const MAX_PAYMENT = '$2';
/** Longest body shown. */
const MAX_BODY_CHARACTERS = 4_000;

/** One request and its response, as sent over the socket. */
export interface Exchange {
  readonly url: string;
  readonly sent: readonly (readonly [name: string, value: string])[];
  readonly status: number;
  readonly received: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Number of body characters that are not shown. */
  readonly omitted: number;
}

export interface Purchase {
  readonly unpaid: Exchange;
  /** The payment terms of the 402, decoded; absent if no payment was required. */
  readonly required?: unknown;
  /** The signed payment, decoded. */
  readonly signed?: unknown;
  readonly paid?: Exchange;
  /** The receipt, decoded. */
  readonly settled?: unknown;
  readonly before: Balances;
  readonly after: Balances;
}

/** Test USDC, in dollars. */
export interface Balances {
  readonly buyer: string;
  readonly seller: string;
}

export interface SandboxBuyer {
  readonly address: string;
  /** Request, sign the payment terms, and request again. @param path path and query of a priced endpoint */
  purchase(path: string): Promise<Purchase>;
}

export interface BuyerOptions {
  readonly privateKey: Hex;
  readonly chain: Pick<Chain, 'balanceOf' | 'network'>;
  readonly payTo: Hex;
  /** URL of this server. */
  readonly baseUrl: string;
}

async function exchange(url: URL, payment?: string): Promise<Exchange> {
  const sent: [string, string][] = [
    ['Accept', '*/*'],
    ...(payment === undefined ? [] : [['PAYMENT-SIGNATURE', payment] as [string, string]]),
  ];
  const response = await fetch(url, { headers: sent, redirect: 'error' });
  const text = await response.text();
  let body = text;
  try {
    body = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    /* not JSON: shown unchanged */
  }
  return {
    url: url.href,
    sent,
    status: response.status,
    received: [...response.headers].map(([name, value]) => [name, value] as const),
    body: body.slice(0, MAX_BODY_CHARACTERS),
    omitted: Math.max(0, body.length - MAX_BODY_CHARACTERS),
  };
}

const headerOf = ({ received }: Exchange, name: string): string | undefined =>
  received.find(([header]) => header.toLowerCase() === name)?.[1];

export function sandboxBuyer({ privateKey, chain, payTo, baseUrl }: BuyerOptions): SandboxBuyer {
  const account = privateKeyToAccount(privateKey);
  const client = new x402Client()
    .register(chain.network.name, new ExactEvmScheme(account))
    .setSpendControls({ maxAmountPerPayment: MAX_PAYMENT });
  const balanceOf = async (address: Hex): Promise<string> => dollarsOf(await chain.balanceOf(address));
  const balances = async (): Promise<Balances> => ({
    buyer: await balanceOf(account.address),
    seller: await balanceOf(payTo),
  });
  return {
    address: account.address,
    async purchase(path) {
      const url = new URL(path, baseUrl);
      const before = await balances();
      const unpaid = await exchange(url);
      const header = headerOf(unpaid, 'payment-required');
      if (unpaid.status !== 402 || header === undefined) return { unpaid, before, after: before };
      const required = decodePaymentRequiredHeader(header);
      const signed = await client.createPaymentPayload(required);
      const paid = await exchange(url, encodePaymentSignatureHeader(signed));
      const receipt = headerOf(paid, 'payment-response');
      return {
        unpaid,
        required,
        signed,
        paid,
        ...(receipt === undefined ? {} : { settled: decodePaymentResponseHeader(receipt) }),
        before,
        after: await balances(),
      };
    },
  };
}
