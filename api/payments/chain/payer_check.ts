/** Checks of the payer that the server makes itself before a purchase begins. */
import type { Network } from '../../../lib/network.ts';
import { readOffered, type OfferedPayment } from './authorization.ts';
import { ChainUnavailable } from './chain_errors.ts';
import type { PaymentChain } from './payment_chain.ts';
import type { Signatures } from './signatures.ts';

export interface PayerCheck {
  readonly chain: Pick<PaymentChain, 'payerState'>;
  readonly network: Pick<Network, 'name' | 'title'>;
  readonly signatures: Pick<Signatures, 'byKey' | 'byContract'>;
  /** Whether contract wallets (EIP-1271) may pay. */
  readonly acceptsContractWallets: boolean;
}

/** Payer and nonce of the payment in a header, if its payer signed it; else null. */
export async function signedPayment(
  { network, signatures, acceptsContractWallets }: Omit<PayerCheck, 'chain'>,
  header: string,
): Promise<string | null> {
  const offered = readOffered(header);
  if (offered.kind !== 'payment') return null;
  const { payment, signed } = offered.offer;
  if (payment.network !== network.name) return null;
  try {
    const isSigned =
      (await signatures.byKey(signed)) || (acceptsContractWallets && (await signatures.byContract(signed)));
    return isSigned ? `${payment.payer} ${payment.nonce}` : null;
  } catch (error) {
    if (error instanceof ChainUnavailable) return null;
    throw error;
  }
}

/**
 * Payer of the payment in a header, if its payer signed it and has its amount, of at least `least`; else
 * null. A caller can create any number of signatures, but not money.
 */
export async function fundedPayer(payments: PayerCheck, header: string, least: bigint): Promise<string | null> {
  const offered = readOffered(header);
  if (offered.kind !== 'payment' || offered.offer.payment.amount < least) return null;
  const { payment } = offered.offer;
  if ((await signedPayment(payments, header)) === null) return null;
  try {
    const { balance, isUsed } = await payments.chain.payerState(payment);
    return isUsed || balance < payment.amount ? null : payment.payer;
  } catch (error) {
    if (error instanceof ChainUnavailable) return null;
    throw error;
  }
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
 * Check the signature, and read the payer's code, balance and nonce from our own node.
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
  const isSigned = hasCode ? await signatures.byContract(signed) : await signatures.byKey(signed);
  if (!isSigned)
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
