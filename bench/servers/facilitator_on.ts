/** The facilitator and chain of a server that is compared: x402's own scheme on a test chain, or approval without looking. */
import type { FacilitatorClient } from '@x402/core/server';
import type { PaymentLayerOptions } from '../../api/payments/middleware.ts';
import { readerOf } from '../../api/payments/chain/node.ts';
import { paymentChain } from '../../api/payments/chain/payment_chain.ts';
import { joinChain, POLLING_MS } from '../../api/payments/local_chain/chain.ts';
import { adaptedFacilitator } from './adapted_facilitator.ts';
import { approving, approvingChain, approvingWait } from './approving.ts';
import { libraryFacilitator } from './library_facilitator.ts';

/** @param node address of an anvil of ours; undefined for approval without looking */
export async function facilitatorOn(node: string | undefined): Promise<FacilitatorClient> {
  if (node === undefined) return approving;
  // Each server pays the gas from an account of its own, so that none waits for another's transactions.
  const { rpcUrl, gasKey } = await joinChain(node);
  return libraryFacilitator({ rpcUrl, key: gasKey, pollingMs: POLLING_MS });
}

/** The same facilitator as our payment layer takes it, with the chain that it reads. */
export async function ourPaymentsOn(
  node: string | undefined,
): Promise<Pick<PaymentLayerOptions, 'facilitator' | 'chain' | 'contractWallets' | 'wait'>> {
  const facilitator = adaptedFacilitator(await facilitatorOn(node));
  if (node === undefined) return { facilitator, chain: approvingChain, contractWallets: false, wait: approvingWait };
  const wait = { everyMs: POLLING_MS, looksWithHint: 400, looksWithoutHint: 160 };
  return { facilitator, chain: paymentChain(readerOf(node, POLLING_MS)), contractWallets: false, wait };
}
