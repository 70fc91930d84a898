/** Examples of error responses in OpenAPI: a wrong parameter, payment terms, and a query without a match. */
import { problemDocument, type Extras, type Reason } from '../http/problem.ts';
import type { Route } from '../routes/define.ts';
import { answerExample } from './examples.ts';
import type { JsonObject } from './schemas.ts';

const INSTANCE = '2f1c7a4e-6d3b-4c55-9d0a-1f6f0c9f8f11';

interface Shown {
  readonly detail: string;
  readonly extras?: Extras;
}

/** Reasons with an example, and its details. */
const EXAMPLES: Partial<Record<Reason, (route: Route) => Shown>> = {
  unknown_parameter: ({ params }) => ({
    detail: 'There is no parameter color.',
    extras: { field: 'color', accepted: Object.keys(params) },
  }),
  payment_required: ({ price }) => ({
    detail: 'Sign the terms in the PAYMENT-REQUIRED header and send the request again.',
    extras: { price: `$${price}`, protocol: 'x402 version 2' },
  }),
  no_matches: ({ path, miss }) => ({
    detail: 'Nothing matches. Nothing was charged.',
    ...(miss ? { extras: answerExample({ path, response: miss }) as Extras } : {}),
  }),
};

/** An example for a status with these reasons; empty if none of them has one. */
export function problemExample(route: Route, reasons: readonly string[]): JsonObject {
  const reason = (Object.keys(EXAMPLES) as Reason[]).find((name) => reasons.includes(name));
  const shown = reason && EXAMPLES[reason]?.(route);
  if (!shown) return {};
  const { detail, extras = {} } = shown;
  // The fields of every problem document come last, so that no example value replaces them.
  const document = problemDocument(reason, detail, { billed: false, instance: INSTANCE });
  return { example: { ...extras, ...document } };
}
