/**
 * Errors as the API sends them: RFC 9457 problem documents with a typed reason and whether the request was billed.
 * Throw a Problem anywhere below a route; the middleware here turns it, and any other error, into a response.
 */
import type { Context, Middleware } from 'koa';
import { z } from 'zod';
import { stateOf } from './request_state.ts';

/** Longest path and query. */
export const MAX_URL_LENGTH = 2_000;

/** Headers of the response that the problem replaces. */
const REPLACED_HEADERS = ['ETag', 'Repr-Digest', 'Unencoded-Digest', 'Content-Disposition', 'Delivery'];

/** Every reason of an error response: its status, the calls that may have it (own: those that name it), its title. */
export const PROBLEMS = {
  invalid_parameter: { status: 400, of: 'all', title: 'A parameter has an invalid value' },
  unknown_parameter: { status: 400, of: 'all', title: 'A parameter is unknown' },
  repeated_parameter: { status: 400, of: 'all', title: 'A parameter is repeated' },
  missing_parameter: { status: 400, of: 'all', title: 'A required parameter is missing' },
  invalid_cursor: { status: 400, of: 'all', title: 'The cursor is invalid or belongs to another query' },
  payment_on_head: { status: 400, of: 'priced', title: 'A payment was sent with HEAD' },
  sign_in_on_head: { status: 400, of: 'own', title: 'A sign-in was sent with HEAD' },
  malformed_request: { status: 400, of: 'all', title: 'Not an HTTP request' },
  sign_in_required: { status: 401, of: 'own', title: 'The wallet that paid must sign in' },
  sign_in_invalid: { status: 401, of: 'own', title: 'The sign-in of the wallet is invalid' },
  payment_required: { status: 402, of: 'priced', title: 'Payment required' },
  payment_malformed: { status: 402, of: 'priced', title: 'The payment cannot be read' },
  payment_invalid: { status: 402, of: 'priced', title: 'The payment is invalid' },
  contract_wallet_refused: { status: 402, of: 'priced', title: 'Contract wallets are not accepted here' },
  payer_without_funds: { status: 402, of: 'priced', title: 'The payer has too little USDC' },
  payer_blocked: { status: 402, of: 'priced', title: 'The issuer of USDC blocks the payer' },
  not_found: { status: 404, of: 'own', title: 'No such endpoint' },
  no_matches: { status: 404, of: 'priced', title: 'No match' },
  unknown_deal: { status: 404, of: 'own', title: 'No such deal' },
  no_underwriting: { status: 404, of: 'own', title: 'No underwriting' },
  purchase_not_found: { status: 404, of: 'own', title: 'This wallet has no such purchase' },
  method_not_allowed: { status: 405, of: 'own', title: 'Method not allowed' },
  request_timeout: { status: 408, of: 'all', title: 'The request took too long to arrive' },
  payment_already_used: { status: 409, of: 'priced', title: 'The payment is already used' },
  payment_in_progress: { status: 409, of: 'priced', title: 'The payment is being used' },
  payment_identifier_used: { status: 409, of: 'priced', title: 'The payment identifier was used for another request' },
  settlement_pending: { status: 409, of: 'priced', title: 'The payment is being settled' },
  answer_expired: { status: 410, of: 'priced', title: 'The stored response has expired' },
  purchase_released: { status: 410, of: 'own', title: 'The purchase was released without a charge' },
  uri_too_long: { status: 414, of: 'all', title: 'The URL is too long' },
  expectation_failed: { status: 417, of: 'all', title: 'The Expect header is not 100-continue' },
  rate_limited: { status: 429, of: 'all', title: 'Too many unpaid responses' },
  too_many_open_purchases: { status: 429, of: 'priced', title: 'The payer has too many open purchases' },
  too_many_held_leads: { status: 429, of: 'own', title: 'The payer holds too many unpaid leads' },
  payer_unbilled_too_often: { status: 429, of: 'own', title: 'The payer let too many leads go unpaid' },
  headers_too_large: { status: 431, of: 'all', title: 'The headers are too long' },
  internal_error: { status: 500, of: 'all', title: 'Internal error' },
  settlement_unknown: { status: 502, of: 'priced', title: 'The outcome of the settlement is unknown' },
  snapshot_unavailable: { status: 503, of: 'all', title: 'No snapshot to serve' },
  timed_out: { status: 503, of: 'all', title: 'The response took too long' },
  lead_pool_held: { status: 503, of: 'own', title: 'Too many leads are held by open purchases' },
  settlement_budget_spent: { status: 503, of: 'priced', title: 'The gas budget of the day is spent' },
  exclusive_paused: { status: 503, of: 'own', title: 'Exclusive sales are paused' },
  token_paused: { status: 503, of: 'priced', title: 'USDC is paused' },
  pay_to_blocked: { status: 503, of: 'priced', title: 'The issuer of USDC blocks the seller' },
  payments_unavailable: { status: 503, of: 'priced', title: 'Payments are not available' },
} as const;

export type Reason = keyof typeof PROBLEMS;

/** Further fields of a problem document, in order. */
export type Extras = Readonly<Record<string, unknown>>;

/** Schema of every error body. Further fields depend on the reason. */
export const ProblemDocument = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string().optional(),
  reason: z.enum(Object.keys(PROBLEMS) as [Reason, ...Reason[]]),
  billed: z
    .literal(false)
    .nullable()
    .meta({ description: 'Null when: it is not known yet (settlement_unknown, settlement_pending).' }),
});

/** An error response. The request is not billed, unless `extras` say `billed: null`: not known yet. */
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

/** The problem that an action throws, if any. */
export async function problemOf(action: () => unknown): Promise<Problem | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Path of the page of a reason: the type of its problem documents. */
export const PROBLEM_PATH = '/problems/';

/** @param instance id of the request */
export const problemDocument = (
  { reason, message, extras }: Problem,
  instance: string,
): z.infer<typeof ProblemDocument> => ({
  // Relative to the server, as RFC 9457 allows; documents.ts serves it.
  type: `${PROBLEM_PATH}${reason}`,
  title: PROBLEMS[reason].title,
  status: PROBLEMS[reason].status,
  detail: message,
  instance: `urn:uuid:${instance}`,
  reason,
  billed: false,
  ...extras,
});

function sendProblem(ctx: Context, problem: Problem): void {
  const state = stateOf(ctx);
  state.reason = problem.reason;
  ctx.status = PROBLEMS[problem.reason].status;
  ctx.body = `${JSON.stringify(problemDocument(problem, state.requestId))}\n`;
  ctx.type = 'application/problem+json';
  for (const name of REPLACED_HEADERS) ctx.remove(name);
  ctx.set({ ...problem.headers, 'Cache-Control': 'no-store' });
}

/** Turn a thrown error into a problem document. An unexpected error is logged, and its text is not sent. */
export const catchErrors: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (error instanceof Problem) {
      sendProblem(ctx, error);
      return;
    }
    const state = stateOf(ctx);
    state.error = error;
    const isSettled = state.settlement !== undefined;
    const detail = isSettled
      ? 'Something went wrong on our side after the payment was settled. The wallet that paid can collect the response.'
      : 'Something went wrong on our side. Nothing was charged.';
    sendProblem(ctx, new Problem('internal_error', detail, isSettled ? { billed: null } : {}));
  }
};

const DEAL_PATH = /^\/api\/deals\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** Refuse URLs that are too long, and paths that no route matched. */
export const checkUrl =
  (publicUrl: string): Middleware =>
  async (ctx, next) => {
    const { length } = ctx.originalUrl;
    if (length > MAX_URL_LENGTH)
      throw new Problem('uri_too_long', `The path and query have ${length} characters, at most ${MAX_URL_LENGTH}.`);
    await next();
    // Koa leaves 404 if no route matched and nothing was written. /mcp writes its own: the method does not exist.
    if (ctx.status !== 404 || ctx.body || stateOf(ctx).reason !== undefined) return;
    const isDeal = DEAL_PATH.test(ctx.path);
    throw new Problem(
      'not_found',
      `There is no ${ctx.path} here. ` +
        (isDeal ? `The report of a deal is GET ${ctx.path}/report.` : 'GET /api/meta lists every endpoint.'),
      { see: publicUrl + (isDeal ? `${ctx.path}/report` : '/api/meta') },
    );
  };
