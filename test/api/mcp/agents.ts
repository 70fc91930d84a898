/** Agents over HTTP: single messages, and the payments that go into `_meta`. */
import assert from 'node:assert/strict';
import type { PaymentPayload } from '@x402/core/types';

export interface ToolResult {
  readonly content: { readonly type: string; readonly text: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

const HEADERS = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };

/** POST a body to /mcp. */
export const post = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** The message that calls a tool. */
export const callOf = (name: string, args: unknown = {}, payment?: unknown): Readonly<Record<string, unknown>> => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, ...(payment === undefined ? {} : { _meta: { 'x402/payment': payment } }) },
});

/** The message in a response: a JSON document, or the only event of a stream. */
export async function messageIn<T = Readonly<Record<string, unknown>>>(response: Response): Promise<T> {
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/mu.exec(text)?.[1] ?? text) as T;
}

/** Call a tool, which must answer with a result. Its text is its structured content. */
export async function callTool(url: string, name: string, args: unknown = {}, payment?: unknown): Promise<ToolResult> {
  const response = await post(url, callOf(name, args, payment));
  assert.equal(response.status, 200);
  const { result } = await messageIn<{ result: ToolResult }>(response);
  assert.equal(result.content[0]?.text, JSON.stringify(result.structuredContent));
  return result;
}

/** The payment in a PAYMENT-SIGNATURE header. */
export const paymentIn = (header: string): PaymentPayload =>
  JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as PaymentPayload;
