/**
 * Any facilitator, made to say plainly what it does not know. The stock server code turns an unreachable
 * facilitator into "402, invalid payment" and a lost settlement reply into "402, failed"; both would be untrue.
 * Errors that extend FacilitatorResponseError are the ones it passes on.
 */
import { FacilitatorResponseError, type FacilitatorClient, type ProcessSettleResultResponse } from '@x402/core/server';
import { SettleError, VerifyError, type PaymentPayload, type SettleResponse, type SupportedResponse } from '@x402/core/types';
import type { Settlement } from './sale.ts';

/** The facilitator could not be asked. Nothing was charged. */
export class FacilitatorUnavailable extends FacilitatorResponseError {
  override readonly name = 'FacilitatorUnavailable';
}

/** Settlement was asked for and what came of it is not known. */
export class SettlementUnknown extends FacilitatorResponseError {
  override readonly name = 'SettlementUnknown';
  /** Hash of the transaction that was sent, where one is known. */
  readonly transaction: string | null;
  constructor(message: string, transaction: string | null = null) {
    super(message);
    this.transaction = transaction;
  }
}

/**
 * Reasons given before any transaction is sent: with one of these and without a transaction, the buyer was not
 * charged. Anything else that is not success is unknown.
 */
const NOT_CHARGED = new Set([
  'invalid_exact_evm_scheme', 'invalid_exact_evm_network_mismatch', 'invalid_exact_evm_missing_eip712_domain',
  'invalid_exact_evm_recipient_mismatch', 'invalid_exact_evm_signature', 'invalid_exact_evm_failed_to_parse_signature',
  'invalid_exact_evm_payload_authorization_valid_before', 'invalid_exact_evm_payload_authorization_valid_after',
  'invalid_exact_evm_authorization_value', 'invalid_exact_evm_payload_authorization_value_mismatch',
  'invalid_exact_evm_token_name_mismatch', 'invalid_exact_evm_token_version_mismatch',
  'invalid_exact_evm_eip3009_not_supported', 'invalid_exact_evm_insufficient_balance',
  'asset_not_deployed_contract', 'eip6492_factory_not_allowed', 'unsupported_payload_type',
  // The protocol's own list.
  'insufficient_funds', 'invalid_network', 'invalid_payload', 'invalid_payment_requirements', 'invalid_scheme',
  'invalid_x402_version', 'unsupported_scheme',
]);

const surelyNotCharged = (result: SettleResponse): boolean =>
  !result.success && !result.transaction && NOT_CHARGED.has(result.errorReason ?? '');

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Wrap a facilitator: verify answers or throws FacilitatorUnavailable; settle answers with success, answers with a
 * failure that surely charged nobody, or throws SettlementUnknown; what it supports is asked until it answers once.
 */
export function plainSpoken(client: FacilitatorClient): FacilitatorClient {
  let supported: SupportedResponse | undefined;
  // Once a transaction was said to be pending, no later refusal of the same payment proves that it failed.
  const pending = new WeakSet<PaymentPayload>();
  return {
    async verify(payload, requirements) {
      try { return await client.verify(payload, requirements); } catch (error) {
        if (error instanceof VerifyError && error.statusCode < 500 && error.invalidReason !== undefined) {
          return { isValid: false, invalidReason: error.invalidReason, ...(error.payer === undefined ? {} : { payer: error.payer }) };
        }
        throw new FacilitatorUnavailable(`verification could not be asked for: ${messageOf(error)}`);
      }
    },
    async settle(payload, requirements) {
      let result: SettleResponse;
      try { result = await client.settle(payload, requirements); } catch (error) {
        if (!(error instanceof SettleError)) throw new SettlementUnknown(messageOf(error));
        result = {
          success: false, network: error.network, transaction: error.transaction,
          ...(error.errorReason === undefined ? {} : { errorReason: error.errorReason }),
        };
      }
      if (result.success) return result;
      if (!pending.has(payload)) {
        if (surelyNotCharged(result)) return result;
        if (result.errorReason === 'settlement_pending' && result.transaction) {
          // Handed back once: the server asks again, and the facilitator looks for the same transaction.
          pending.add(payload);
          return result;
        }
      }
      throw new SettlementUnknown(result.errorReason ?? 'no reason given', result.transaction || null);
    },
    async getSupported() {
      try { return supported ??= await client.getSupported(); } catch (error) {
        throw new FacilitatorUnavailable(`supported payments could not be asked for: ${messageOf(error)}`);
      }
    },
  };
}

/** A settlement, and the headers that tell the buyer of it. */
export interface Settled {
  readonly settlement: Settlement;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * What came of a settlement through a plain-spoken facilitator. The server code turns an error of its own into a
 * failed settlement, whenever it happened: only a reason that a facilitator gives before it sends anything is a refusal.
 */
export async function settlementOf(process: () => Promise<ProcessSettleResultResponse>): Promise<Settled> {
  try {
    const result = await process();
    if (result.success) return { settlement: { kind: 'settled', transaction: result.transaction }, headers: result.headers };
    const { errorReason, transaction } = result;
    if (surelyNotCharged(result)) return { settlement: { kind: 'refused', why: errorReason }, headers: result.headers };
    return { settlement: { kind: 'unknown', why: errorReason, transaction: transaction || null }, headers: {} };
  } catch (error) {
    return { settlement: { kind: 'unknown', why: messageOf(error), transaction: error instanceof SettlementUnknown ? error.transaction : null }, headers: {} };
  }
}
