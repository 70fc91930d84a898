/** The network on which a server takes payments, with its node, its facilitator and its signature checks. */
import type { Network } from '../../lib/network.ts';
import type { PaymentChain } from './chain/payment_chain.ts';
import type { Signatures } from './chain/signatures.ts';
import type { Facilitator } from './facilitator/facilitator_client.ts';

export interface PaymentNetwork {
  readonly network: Network;
  readonly chain: Pick<PaymentChain, 'id' | 'evidenceOf' | 'payerState'>;
  readonly facilitator: Facilitator;
  readonly signatures: Signatures;
}
