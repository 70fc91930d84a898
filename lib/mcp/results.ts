/** Results of tool calls: answers, refusals and errors, in the same form from every MCP server. */
import type { CallToolResult } from '@modelcontextprotocol/server';

type Content = Record<string, unknown>;

/** A call that cannot be sent. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

/** Content both as text and as structured content, as clients read one or the other. */
export const toolResult = (content: Content, isError = false): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(content) }],
  structuredContent: content,
  ...(isError ? { isError } : {}),
});

/** An error of a call that was not sent. */
export const errorResult = (reason: string, detail: string, more: Content = {}): CallToolResult =>
  toolResult({ reason, detail, billed: false, ...more }, true);

export interface Refusal {
  readonly reason: string;
  readonly detail: string;
  /** Null if it is unknown. */
  readonly billed: false | null;
  /** The server's problem document. */
  readonly document?: unknown;
  readonly [more: string]: unknown;
}

/** A call without an answer. No match is a result like any other, not an error. */
export function refusalResult({ document, ...refusal }: Refusal): CallToolResult {
  const content = { ...refusal, ...(document === undefined ? {} : { problem: document }) };
  return toolResult(content, refusal.reason !== 'no_matches');
}

/** Read an error response as a refusal: its problem document, or only its status if it has none. */
export function readProblem(text: string, status: number): Refusal {
  let document: Content | null = null;
  try {
    document = JSON.parse(text) as Content;
  } catch {
    /* not JSON: only the status is known */
  }
  return {
    reason: typeof document?.['reason'] === 'string' ? document['reason'] : `http_${status}`,
    detail: typeof document?.['detail'] === 'string' ? document['detail'] : `The server responded with ${status}.`,
    // Unknown unless the response states it.
    billed: document?.['billed'] === false ? false : null,
    ...(document === null ? {} : { document }),
  };
}
