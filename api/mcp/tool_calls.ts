/**
 * Calls of tools with the MCP transport of x402 version 2: terms, payments and receipts in results and `_meta`. A call
 * makes the HTTP request that it stands for, in process, through the same checks, limits, payments and log.
 */
import type { RequestListener, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import type { CallToolRequest, CallToolResult } from '@modelcontextprotocol/server';
import inject from 'light-my-request';
import { z } from 'zod';
import { ArgumentError, readProblem, refusalResult, toolResult } from '../../lib/mcp/results.ts';
import { readView, shortAnswer, type View } from '../../lib/mcp/short_answer.ts';
import type { Interface } from '../../lib/mcp/tools.ts';
import { usdOf } from '../../lib/network.ts';
import { carriers } from '../http/request_state.ts';

export interface ToolCaller {
  readonly application: RequestListener;
  /** Address of the caller, for the rate limit. */
  readonly ip: string;
  readonly host: string;
  /** The response that carries that of the request to the caller. */
  readonly carrier: ServerResponse;
  /** URL at which a purchase is collected. */
  readonly collectUrl: (receiptId: string) => string;
}

/** Bytes read of a file, to show its first lines. */
const MAX_FILE_BYTES = 1_000_000;

interface InnerResponse {
  readonly status: number;
  /** Media type. */
  readonly type: string;
  readonly text: string;
  /** Whether `text` is only the start of the body. */
  readonly isCut: boolean;
  /** A header by its name in lower case. */
  header(name: string): string | undefined;
}

async function readText(body: Readable, most: number): Promise<{ text: string; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > most) break;
  }
  return { text: Buffer.concat(chunks).toString('utf8'), isCut: bytes > most };
}

/** Make a GET request in process. @throws Error if the response ends early */
async function requestInProcess(
  { application, ip, host, carrier }: ToolCaller,
  target: string,
  payment: string | undefined,
): Promise<InnerResponse> {
  const response = await inject(
    (req, res) => {
      carriers.set(req, carrier);
      application(req, res);
    },
    {
      method: 'GET',
      url: target,
      // No header of the caller is forwarded.
      headers: {
        host,
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'mcp',
        ...(payment === undefined ? {} : { 'payment-signature': payment }),
      },
      remoteAddress: ip,
      payloadAsStream: true,
    },
  );
  const header = (name: string): string | undefined => {
    const value = response.headers[name];
    return value === undefined ? undefined : String(value);
  };
  const type = (header('content-type') ?? '').split(';')[0] ?? '';
  // oxlint-disable-next-line no-restricted-properties -- the stream of a response, whose early end is an error
  const { text, isCut } = await readText(response.stream(), type === 'text/csv' ? MAX_FILE_BYTES : Infinity);
  // Stop reading the stored answer.
  if (isCut) response.raw.res.destroy();
  return { status: response.statusCode, type, text, isCut, header };
}

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

function answerResult(
  response: InnerResponse,
  { view, payment, collectUrl }: { view: View; payment: unknown; collectUrl: ToolCaller['collectUrl'] },
): CallToolResult {
  const receiptId = response.header('receipt-id');
  const collect = collectUrl(receiptId ?? '');
  const { type, text, isCut } = response;
  const settlement = settlementOf(response);
  const known = Payment.safeParse(payment).data;
  const isNew = response.header('delivery') === 'first';
  const digest = response.header('unencoded-digest');
  const signed = response.header('signed-receipt');
  const readOn = known?.extensions?.['payment-identifier']?.info.id
    ? 'To read more, free: call again with the same arguments and payment, and from or part.'
    : `The wallet that paid collects all of it at ${collect}.`;
  const hint = receiptId === undefined ? null : readOn;
  return {
    ...toolResult({
      ...(receiptId === undefined
        ? {}
        : {
            paid: {
              amount_usd: isNew && known ? usdOf(BigInt(known.accepted.amount)) : '0.00',
              receipt_id: receiptId,
              collect,
              ...(digest === undefined ? {} : { digest }),
              ...(signed === undefined ? {} : { signed_receipt: signed }),
            },
          }),
      ...shortAnswer({ type, text, isBought: receiptId !== undefined, isCut, hint }, view),
    }),
    ...settlement,
  };
}

/** A call of a tool: the request that it stands for, which is not sent yet. @throws ArgumentError */
export function prepareCall(
  { tools }: Pick<Interface, 'tools'>,
  { name, arguments: given = {}, _meta }: CallToolRequest['params'],
): (caller: ToolCaller) => Promise<CallToolResult> {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`${name} is not listed`);
  const { view, rest } = readView(given);
  const payment = _meta?.[PAYMENT];
  if (view.from > 0 && !tool.isFree && payment === undefined)
    throw new ArgumentError('from continues an answer that is already bought: send the payment that bought it.');
  const { pathname, search } = tool.url(rest);
  const header = payment === undefined ? undefined : paymentHeader(payment);
  return async (caller) => {
    const response = await requestInProcess(caller, pathname + search, header);
    if (response.status === 200) return answerResult(response, { view, payment, collectUrl: caller.collectUrl });
    const required = response.header('payment-required');
    if (response.status === 402 && required !== undefined) return termsResult(response, required, header !== undefined);
    return { ...refusalResult(readProblem(response.text, response.status)), ...settlementOf(response) };
  };
}
