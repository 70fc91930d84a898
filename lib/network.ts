/** The one network and asset of all payments, in every mode. */

/** Base, as x402 names it (CAIP-2). */
export const NETWORK = 'eip155:8453';
export const CHAIN_ID = 8453;

/** USDC on Base. */
export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

/** Seconds for which a buyer must keep the authorization valid. */
export const PAYMENT_SECONDS = 300;
/** The same for an exclusive lead, which is reserved for this long if the payment never arrives. */
export const EXCLUSIVE_SECONDS = 60;
/** Seconds by which a buyer's clock may be ahead of ours. */
export const CLOCK_SKEW_SECONDS = 60;

/** Atomic units as dollars with six decimals: 50000 becomes "0.050000". */
export function dollarsOf(atomic: bigint): string {
  const text = (atomic < 0n ? -atomic : atomic).toString().padStart(7, '0');
  return `${atomic < 0n ? '-' : ''}${text.slice(0, -6)}.${text.slice(-6)}`;
}

/** Dollars with two decimals as atomic units: "0.05" becomes 50000. */
export const atomicOf = (dollars: string): bigint => BigInt(dollars.replace('.', '')) * 10_000n;
