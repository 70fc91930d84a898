/** Checks of the payer that the server makes itself before a purchase begins. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Network } from '../../../lib/network.ts';
import type { OfferedPayment } from './authorization.ts';
import type { PaymentChain, TokenObstacle } from './payment_chain.ts';
import type { Signatures } from './signatures.ts';

interface PayerCheck {
  readonly chain: Pick<PaymentChain, 'payerState'>;
  readonly network: Pick<Network, 'name' | 'title'>;
  readonly signatures: Pick<Signatures, 'byKey'>;
  /** Whether contract wallets (EIP-1271) may pay. */
  readonly acceptsContractWallets: boolean;
}

type PayerRefused = 'payment_invalid' | 'contract_wallet_refused' | 'payer_without_funds' | 'payer_blocked';

export type CheckedPayer =
  | { readonly kind: 'good'; readonly balance: bigint; readonly isContract: boolean }
  /** `error` is the protocol's code. */
  | { readonly kind: 'refused'; readonly reason: PayerRefused; readonly detail: string; readonly error: string }
  /** Nobody can pay us now. */
  | { readonly kind: 'obstacle'; readonly obstacle: TokenObstacle };

const refused = (reason: PayerRefused, why: string, error: string = reason): CheckedPayer => ({
  kind: 'refused',
  reason,
  detail: `${why} Nothing was charged.`,
  error,
});
const contractRefused = (why: string): CheckedPayer =>
  refused('contract_wallet_refused', `The payer is a contract, and ${why}. Pay from an account without code.`);

/**
 * Read the state of the token and of the payer from our own node, and check the signature of an ordinary account. A
 * contract wallet is asked later: that shows the signature to the node.
 * @param isExclusive whether the purchase holds a lead
 * @throws ChainUnavailable
 */
export async function checkPayer(
  { network, chain, signatures, acceptsContractWallets }: PayerCheck,
  { payment, signed }: OfferedPayment,
  isExclusive: boolean,
): Promise<CheckedPayer> {
  const reading = chain.payerState(payment);
  // Computed while the node answers: recovering a key takes as long as the two requests.
  const checking = nextTurn().then(() => signatures.byKey(signed));
  const [{ hasCode, balance, isUsed, isBlocked, obstacle }, isSigned] = await Promise.all([reading, checking]);
  if (obstacle !== null) return { kind: 'obstacle', obstacle };
  if (isBlocked) return refused('payer_blocked', 'The issuer of USDC blocks the payer.');
  if (hasCode) {
    // The token asks the contract whether it signed; the contract may answer differently each time.
    if (!acceptsContractWallets) return contractRefused('this server takes no payments from contract wallets');
    if (isExclusive) return contractRefused('exclusive leads are sold to ordinary accounts only');
  } else if (!isSigned) {
    return refused('payment_invalid', 'The payment is not signed by its payer.', 'invalid_exact_evm_signature');
  }
  if (isUsed) {
    const why = 'The nonce of this payment was used or canceled. Sign a new payment.';
    return refused('payment_invalid', why, 'invalid_exact_evm_nonce_already_used');
  }
  return balance < payment.amount
    ? refused('payer_without_funds', `The payer has less USDC on ${network.title} than this call costs.`)
    : { kind: 'good', balance, isContract: hasCode };
}
