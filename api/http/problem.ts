/** Errors as the API sends them: RFC 9457 problem documents with a typed reason and whether the call was billed. */
import { z } from 'zod';

/** Every reason an answer can be an error, with the status and the title that go with it. */
export const PROBLEMS = {
  invalid_parameter: { status: 400, title: 'A parameter has a value that is not accepted' },
  unknown_parameter: { status: 400, title: 'A parameter is not known here' },
  repeated_parameter: { status: 400, title: 'A parameter was given more than once' },
  missing_parameter: { status: 400, title: 'A required parameter is missing' },
  invalid_cursor: { status: 400, title: 'The cursor is not one of ours, or belongs to another query' },
  payment_on_head: { status: 400, title: 'A payment was sent with HEAD' },
  sign_in_on_head: { status: 400, title: 'A sign-in was sent with HEAD' },
  malformed_request: { status: 400, title: 'Not an HTTP request' },
  sign_in_required: { status: 401, title: 'The wallet that paid must prove itself' },
  sign_in_invalid: { status: 401, title: 'The proof of the wallet is not valid' },
  payment_required: { status: 402, title: 'Payment required' },
  payment_malformed: { status: 402, title: 'The payment cannot be read' },
  payment_invalid: { status: 402, title: 'The payment is not valid' },
  contract_wallet_refused: { status: 402, title: 'Contract wallets are not accepted here' },
  payer_without_funds: { status: 402, title: 'The payer has too little USDC' },
  not_found: { status: 404, title: 'No such endpoint' },
  no_matches: { status: 404, title: 'Nothing matches' },
  unknown_deal: { status: 404, title: 'No such deal' },
  purchase_not_found: { status: 404, title: 'No such purchase of this wallet' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  payment_already_used: { status: 409, title: 'The payment has been used' },
  payment_in_progress: { status: 409, title: 'The payment is being used' },
  payment_identifier_used: { status: 409, title: 'The payment identifier was used for another request' },
  settlement_pending: { status: 409, title: 'The payment is being settled' },
  answer_expired: { status: 410, title: 'The answer is no longer kept' },
  purchase_released: { status: 410, title: 'The purchase came to nothing' },
  uri_too_long: { status: 414, title: 'The address is too long' },
  expectation_failed: { status: 417, title: 'The Expect header asks for something else than 100-continue' },
  rate_limited: { status: 429, title: 'Too many unpaid answers' },
  too_many_open_purchases: { status: 429, title: 'The payer has too many open purchases' },
  too_many_held_leads: { status: 429, title: 'The payer holds too many unpaid leads' },
  payer_unbilled_too_often: { status: 429, title: 'Payments of this payer failed too often' },
  headers_too_large: { status: 431, title: 'The headers are too long' },
  internal_error: { status: 500, title: 'Internal error' },
  settlement_unknown: { status: 502, title: 'The outcome of the settlement is not known' },
  snapshot_unavailable: { status: 503, title: 'No data to serve' },
  timed_out: { status: 503, title: 'The answer took too long' },
  lead_pool_held: { status: 503, title: 'Too many leads are being bought right now' },
  settlement_budget_spent: { status: 503, title: 'The gas budget of the day is spent' },
  exclusive_paused: { status: 503, title: 'Exclusive sales are paused' },
  payments_unavailable: { status: 503, title: 'Payments are not available' },
} as const;

export type Reason = keyof typeof PROBLEMS;

/** What a problem document says beyond what every one says: names and values that help, in order. */
export type Extras = Readonly<Record<string, unknown>>;

/** The form of every error body. Further fields depend on the reason. */
export const ProblemDocument = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string().optional(),
  reason: z.enum(Object.keys(PROBLEMS) as [Reason, ...Reason[]]),
  /** Null where it is not known (reasons settlement_unknown, settlement_pending). */
  billed: z.literal(false).nullable(),
});

/** An answer that is an error; the request is not billed. Throw it from anywhere below a route. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly reason: Reason;
  readonly extras: Extras;
  readonly headers: Readonly<Record<string, string>>;
  constructor(reason: Reason, detail: string, extras: Extras = {}, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.reason = reason;
    this.extras = extras;
    this.headers = headers;
  }
}

/** The document of a problem. `instance` names the request. */
export function documentOf(
  reason: Reason,
  detail: string,
  billed: false | null,
  instance: string,
  extras: Extras = {},
): z.infer<typeof ProblemDocument> {
  const { status, title } = PROBLEMS[reason];
  return {
    type: `urn:dealfeed:problem:${reason}`,
    title,
    status,
    detail,
    instance: `urn:uuid:${instance}`,
    reason,
    billed,
    ...extras,
  };
}
