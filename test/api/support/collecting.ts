/** Buying at a shop of two servers, and collecting what was bought. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Hex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { authorizationIn, bodyOf, fetchWithPayment, type Buyer } from './buyers.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { rowsOfTable } from './snapshot_fixtures.ts';

export const DEALS = '/api/deals';
export const PRICE = 50_000n;

export const openCollectShop = (): Promise<Shop> =>
  openShop({
    mode: 'sandbox',
    servers: 2,
    tables: {
      deals: rowsOfTable('deals', 3),
      leads: rowsOfTable('leads', 3),
      filings: rowsOfTable('filings', 300, () => ({ first_seen: '2026-11-12T12:00:00Z' })),
    },
  });

/** A new identifier of a buyer. */
export const identifier = (): string => `order-${generatePrivateKey().slice(2, 34)}`;

/** The money that an action moves to the seller, in atomic units. */
export async function moved(shop: Shop, action: () => Promise<void>): Promise<bigint> {
  const start = await shop.takings();
  await action();
  return (await shop.takings()) - start;
}

export const reasonOf = async (response: Response): Promise<unknown> => (await bodyOf(response))['reason'];

export interface Bought {
  readonly bytes: Buffer;
  readonly response: Response;
  readonly receipt: string;
  readonly payment: string;
}

/** Buy an answer, with a new payment unless one is given. */
export async function bought(buyer: Buyer, url: string, payment?: string): Promise<Bought> {
  const signed = payment ?? (await buyer.sign(url));
  const response = await fetchWithPayment(url, signed);
  assert.equal(response.status, 200);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { bytes, response, receipt: response.headers.get('Receipt-Id') ?? '', payment: signed };
}

export const nonceOf = (payment: string): Hex => authorizationIn(payment).nonce;

export const digestOf = (bytes: Buffer): string => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;

export const collect = (url: string, proof: string): Promise<Response> =>
  fetch(url, { headers: { 'SIGN-IN-WITH-X': proof } });
