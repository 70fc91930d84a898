/**
 * The buyer of the sandbox, for the page that walks through a purchase. It calls this server over its socket as any
 * client does, and signs with the sandbox's own wallet. The signing is done here and not in the browser: the walk then
 * works without JavaScript, shows the same libraries at work that a client uses, and no key is ever sent to a page.
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
import { dollarsOf, NETWORK } from '../../lib/network.ts';
import type { Chain } from '../payments/local_chain/chain.ts';

/** Most that is signed for one call. */
const DEAREST = '$2';
/** Longest body that is shown. */
const SHOWN_CHARACTERS = 4_000;

/** One request and its answer, as they went over the socket. */
export interface Exchange {
  readonly url: string;
  readonly sent: readonly (readonly [name: string, value: string])[];
  readonly status: number;
  readonly received: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Characters of the body that are not shown. */
  readonly cut: number;
}

export interface Purchase {
  readonly asked: Exchange;
  /** What the 402 asks for, decoded; absent where no payment was asked. */
  readonly required?: unknown;
  /** What was signed, decoded. */
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
  /** Ask, sign what is asked for, and ask again. @param path path and query of a priced endpoint */
  purchase(path: string): Promise<Purchase>;
}

export interface BuyerOptions {
  readonly privateKey: Hex;
  readonly chain: Pick<Chain, 'balanceOf'>;
  readonly payTo: Hex;
  /** Where this server answers. */
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
    /* not JSON: shown as it came */
  }
  return {
    url: url.href,
    sent,
    status: response.status,
    received: [...response.headers].map(([name, value]) => [name, value] as const),
    body: body.slice(0, SHOWN_CHARACTERS),
    cut: Math.max(0, body.length - SHOWN_CHARACTERS),
  };
}

const headerOf = ({ received }: Exchange, name: string): string | undefined =>
  received.find(([n]) => n.toLowerCase() === name)?.[1];

/** A buyer with the sandbox's wallet. */
export function sandboxBuyer({ privateKey, chain, payTo, baseUrl }: BuyerOptions): SandboxBuyer {
  const account = privateKeyToAccount(privateKey);
  const client = new x402Client()
    .register(NETWORK, new ExactEvmScheme(account))
    .setSpendControls({ maxAmountPerPayment: DEAREST });
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
      const asked = await exchange(url);
      const header = headerOf(asked, 'payment-required');
      if (asked.status !== 402 || header === undefined) return { asked, before, after: before };
      const required = decodePaymentRequiredHeader(header);
      const signed = await client.createPaymentPayload(required);
      const paid = await exchange(url, encodePaymentSignatureHeader(signed));
      const receipt = headerOf(paid, 'payment-response');
      return {
        asked,
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
