/** Calls of tools with the MCP transport of x402 version 2: terms, payments and receipts in results and `_meta`. */
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import type { CallToolRequest, CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ArgumentError } from '../../lib/mcp/arguments.ts';
import { readProblem, refusalResult, toolResult } from '../../lib/mcp/results.ts';
import { readView, shortAnswer, withHint, type View } from '../../lib/mcp/short_answer.ts';
import type { Interface, Tool } from '../../lib/mcp/tools.ts';
import { usdOf } from '../../lib/network.ts';
import type { InnerRequest, InnerResponse } from './inner_requests.ts';

/** Keys of `_meta` in the transport specification. */
const PAYMENT = 'x402/payment';
const PAYMENT_RESPONSE = 'x402/payment-response';
/** Characters of an encoded payment: no more than the headers of an HTTP request may have. */
const MAX_PAYMENT_CHARACTERS = 16_000;

/** The parts of a payment that results mention. The payment layer checks it. */
const Payment = z.object({
  accepted: z.object({ amount: z.string().regex(/^\d{1,20}$/) }),
  // A stock client repeats our declaration, with an id only if its buyer chose one.
  extensions: z
    .object({ 'payment-identifier': z.object({ info: z.object({ id: z.string().optional() }) }).optional() })
    .optional(),
});

export interface ToolCall {
  readonly tool: Tool;
  readonly view: View;
  /** Path and query of the request. */
  readonly target: string;
  /** As it was sent. */
  readonly payment: unknown;
}

/** Read a tool call. @throws ArgumentError if the tool does not take these arguments */
export function readCall(
  { tools }: Pick<Interface, 'tools'>,
  { name, arguments: given = {}, _meta }: CallToolRequest['params'],
): ToolCall {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`${name} is not listed`);
  const { view, rest } = readView(given);
  const payment = _meta?.[PAYMENT];
  if (view.from > 0 && !tool.isFree && payment === undefined)
    throw new ArgumentError('from continues an answer that is already bought: send the payment that bought it.');
  const { pathname, search } = tool.url(rest);
  return { tool, view, target: pathname + search, payment };
}

/** The value of PAYMENT-SIGNATURE for this payment. @throws ArgumentError */
function paymentHeader(payment: unknown): string {
  const header = Buffer.from(JSON.stringify(payment)).toString('base64');
  if (header.length <= MAX_PAYMENT_CHARACTERS) return header;
  throw new ArgumentError(`${PAYMENT} is longer than a payment can be.`);
}

/** The settlement in `_meta`, if the response has one. */
function settlementOf(response: InnerResponse): Pick<CallToolResult, '_meta'> {
  const header = response.header('payment-response');
  return header === undefined ? {} : { _meta: { [PAYMENT_RESPONSE]: decodePaymentResponseHeader(header) } };
}

/** Fields of a 402 that say what the call would return and what all of it costs. */
const OFFERED = ['limit', 'max_limit', 'price_note', 'matches', 'file', 'auction_types', 'rarely_filled', 'hints'];

/** The same as text. */
function offerText({ text, header }: InnerResponse): string {
  const problem = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const snapshot_id = header('x-snapshot-id');
  const again =
    snapshot_id === undefined
      ? undefined
      : `If you bought this call in snapshot ${snapshot_id}, send that payment again instead of a new one: free.`;
  return JSON.stringify({ ...Object.fromEntries(OFFERED.map((name) => [name, problem[name]])), snapshot_id, again });
}

/**
 * The terms of a priced call, as text and as structured content, as the transport specification requires. The entry
 * for catalogs is left out: it describes the HTTP request.
 */
function termsResult(response: InnerResponse, required: string, isPaid: boolean): CallToolResult {
  const { extensions: { bazaar: _, ...extensions } = {}, ...due } = decodePaymentRequiredHeader(required);
  const terms = toolResult({ ...due, extensions }, true);
  const text = isPaid ? readProblem(response.text, response.status).detail : offerText(response);
  return { ...terms, content: [...terms.content, { type: 'text', text }], ...settlementOf(response) };
}

function answerResult({ view, payment }: ToolCall, response: InnerResponse, collectUrl: string): CallToolResult {
  const receiptId = response.header('receipt-id');
  const { type, text, isCut } = response;
  const short = shortAnswer({ type, text, isBought: receiptId !== undefined, isCut }, view);
  const settlement = settlementOf(response);
  const known = Payment.safeParse(payment).data;
  const isNew = response.header('delivery') === 'first';
  const digest = response.header('unencoded-digest');
  const signed = response.header('signed-receipt');
  const readOn = known?.extensions?.['payment-identifier']?.info.id
    ? 'To read more, free: call again with the same arguments and payment, and from or part.'
    : `The wallet that paid collects all of it at ${collectUrl}.`;
  return {
    ...toolResult({
      ...(receiptId === undefined
        ? {}
        : {
            paid: {
              amount_usd: isNew && known ? usdOf(BigInt(known.accepted.amount)) : '0.00',
              receipt_id: receiptId,
              collect: collectUrl,
              ...(digest === undefined ? {} : { digest }),
              ...(signed === undefined ? {} : { signed_receipt: signed }),
            },
          }),
      ...withHint(short, receiptId === undefined ? null : readOn),
    }),
    ...settlement,
  };
}

export interface ToolCaller {
  /** URL at which a purchase is collected. */
  readonly collectUrl: (receiptId: string) => string;
  readonly request: (inner: Pick<InnerRequest, 'target' | 'payment'>) => Promise<InnerResponse>;
}

/** Make a call. @throws ArgumentError */
export async function callTool(caller: ToolCaller, call: ToolCall): Promise<CallToolResult> {
  const { target, payment } = call;
  const response = await caller.request({
    target,
    payment: payment === undefined ? undefined : paymentHeader(payment),
  });
  if (response.status === 200)
    return answerResult(call, response, caller.collectUrl(response.header('receipt-id') ?? ''));
  const required = response.header('payment-required');
  if (response.status === 402 && required !== undefined) return termsResult(response, required, payment !== undefined);
  return { ...refusalResult(readProblem(response.text, response.status)), ...settlementOf(response) };
}
