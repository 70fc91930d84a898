/** Checks of the payer that the server makes itself before a purchase begins. */
import type { Network } from '../../../lib/network.ts';
import type { OfferedPayment } from './authorization.ts';
import type { PaymentChain } from './payment_chain.ts';
import type { Signatures } from './signatures.ts';

interface PayerCheck {
  readonly chain: Pick<PaymentChain, 'payerState'>;
  readonly network: Pick<Network, 'name' | 'title'>;
  readonly signatures: Pick<Signatures, 'byKey'>;
  /** Whether contract wallets (EIP-1271) may pay. */
  readonly acceptsContractWallets: boolean;
}

export type CheckedPayer =
  | { readonly kind: 'good'; readonly balance: bigint; readonly isContract: boolean }
  | { readonly kind: 'refused'; readonly reason: 'payment_invalid'; readonly detail: string; readonly error: string }
  | {
      readonly kind: 'refused';
      readonly reason: 'contract_wallet_refused' | 'payer_without_funds';
      readonly detail: string;
    };

const invalid = (detail: string, error: string): CheckedPayer => ({
  kind: 'refused',
  reason: 'payment_invalid',
  detail,
  error,
});
const contractRefused = (why: string): CheckedPayer => ({
  kind: 'refused',
  reason: 'contract_wallet_refused',
  detail: `${why} Pay from an account without code. Nothing was charged.`,
});

/**
 * Read the payer's code, balance and nonce from our own node, and check the signature of an ordinary account. A
 * contract wallet is asked later: that shows the signature to the node.
 * @param isExclusive whether the purchase claims a lead
 * @throws ChainUnavailable
 */
export async function checkPayer(
  { network, chain, signatures, acceptsContractWallets }: PayerCheck,
  { payment, signed }: OfferedPayment,
  isExclusive: boolean,
): Promise<CheckedPayer> {
  const { hasCode, balance, isUsed } = await chain.payerState(payment);
  if (hasCode) {
    // The token asks the contract whether it signed; the contract may answer differently each time.
    if (!acceptsContractWallets)
      return contractRefused('The payer is a contract, and this server takes no payments from contract wallets.');
    if (isExclusive)
      return contractRefused('The payer is a contract, and exclusive leads are sold to ordinary accounts only.');
  }
  if (!hasCode && !(await signatures.byKey(signed)))
    return invalid('The payment is not signed by its payer. Nothing was charged.', 'invalid_exact_evm_signature');
  if (isUsed)
    return invalid(
      'The nonce of this payment was used or canceled. Sign a new payment. Nothing was charged.',
      'invalid_exact_evm_nonce_already_used',
    );
  if (balance < payment.amount) {
    return {
      kind: 'refused',
      reason: 'payer_without_funds',
      detail: `The payer has less USDC on ${network.title} than this call costs. Nothing was charged.`,
    };
  }
  return { kind: 'good', balance, isContract: hasCode };
}
