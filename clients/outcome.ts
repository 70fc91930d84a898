/** Outcomes of a call: a response, a price, or a refusal by this client or by the server. */
import { decodePaymentResponseHeader } from '@x402/core/http';
import { readProblem } from '../lib/mcp/results.ts';
import { usdOf } from '../lib/network.ts';
import { RECEIPT_HEADER } from '../lib/receipt.ts';

/** Names the snapshot of an answer, and in a 402 the one that would be answered from, unless it sells one thing. */
export const SNAPSHOT_HEADER = 'X-Snapshot-Id';

/** A call without a response. */
export interface Refused {
  readonly kind: 'refused';
  /** Reason code of this client, or of the server's problem document. */
  readonly reason: string;
  readonly detail: string;
  /** Null if it is unknown. */
  readonly billed: false | null;
  readonly price_usd?: string;
  /** The server's problem document, if it sent one. */
  readonly document?: unknown;
}

/** Why this client did not pay. */
type ClientReason =
  | 'no_wallet'
  | 'price_above_call_cap'
  | 'price_above_total_cap'
  | 'terms_not_accepted'
  | 'server_unreachable'
  | 'outcome_unknown';

export const refused = (
  reason: ClientReason,
  detail: string,
  billed: false | null = false,
  more: Pick<Refused, 'price_usd'> = {},
): Refused => ({ kind: 'refused', reason, detail, billed, ...more });

/** The transaction in the PAYMENT-RESPONSE header, if there is one. */
const transactionOf = (response: Response): string | null => {
  const header = response.headers.get('PAYMENT-RESPONSE');
  return header === null ? null : decodePaymentResponseHeader(header).transaction;
};

/** @param paid what this call paid, or null if it was free */
export const readResponse = async (response: Response, paid: bigint | null) => ({
  kind: 'response' as const,
  type: (response.headers.get('Content-Type') ?? '').split(';')[0] ?? '',
  text: await response.text(),
  paid_usd: usdOf(paid ?? 0n),
  transaction: paid === null ? null : transactionOf(response),
  /** Id by which the wallet that paid collects the response again. */
  receipt_id: response.headers.get('Receipt-Id'),
  snapshot_id: response.headers.get(SNAPSHOT_HEADER),
  /** The receipt that the server signed. */
  signed_receipt: response.headers.get(RECEIPT_HEADER),
  /** Whether the call was bought before, and is answered again for free. */
  isRepeat: false,
});

export type CallResponse = Awaited<ReturnType<typeof readResponse>>;

/** An error response of the server. */
export async function readRefusal(response: Response): Promise<Refused> {
  return { kind: 'refused', ...readProblem(await response.text(), response.status) };
}
