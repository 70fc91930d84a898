/** The network on which a server takes payments, with its node, its facilitator and its signature checks. */
import type { Network } from '../../lib/network.ts';
import type { PaymentChain, TokenObstacle } from './chain/payment_chain.ts';
import type { Signatures } from './chain/signatures.ts';
import type { Facilitator } from './facilitator/facilitator_client.ts';

export interface PaymentNetwork {
  readonly network: Network;
  readonly chain: Pick<PaymentChain, 'id' | 'evidenceOf' | 'payerState' | 'tokenObstacle' | 'isBlocked'>;
  /** What kept every payer from paying us when the token was read last. */
  readonly tokenObstacle: () => TokenObstacle | null;
  readonly facilitator: Facilitator;
  readonly signatures: Signatures;
}
