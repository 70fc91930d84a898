/** The facilitator of a server that is compared: x402's own scheme on a test chain, or one that approves everything. */
import type { FacilitatorClient } from '@x402/core/server';
import { ownFacilitator } from '../../api/payments/own.ts';
import { joinChain, POLLING_MS } from '../../api/payments/sandbox/chain.ts';
import { approving } from './approving.ts';

/** @param node address of an anvil of ours; undefined for approval without looking */
export async function facilitatorOn(node: string | undefined): Promise<FacilitatorClient> {
  if (node === undefined) return approving;
  // Each server pays the gas from an account of its own, so that none waits for another's transactions.
  const { rpcUrl, gasKey } = await joinChain(node);
  return ownFacilitator({ rpcUrl, key: gasKey, pollingMs: POLLING_MS });
}
