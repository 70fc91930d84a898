/** The networks on which a server takes payments, each with its node, its facilitator and its signature checks. */
import type { Network } from '../../lib/network.ts';
import type { PaymentChain } from './chain/payment_chain.ts';
import type { Signatures } from './chain/signatures.ts';
import type { Facilitator } from './facilitator/facilitator_client.ts';

export interface PaymentNetwork {
  readonly network: Network;
  readonly chain: Pick<PaymentChain, 'id' | 'evidenceOf' | 'payerState' | 'isReachable'>;
  readonly facilitator: Facilitator;
  readonly signatures: Signatures;
}

/** The entry of the network with this CAIP-2 name; undefined if the list has none. */
export const onNetwork = <N extends { readonly network: Network }>(
  networks: readonly N[],
  name: string,
): N | undefined => networks.find(({ network }) => network.name === name);
