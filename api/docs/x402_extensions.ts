/**
 * What each priced route tells of itself in its 402, by extensions of x402: how it is called and what it answers
 * (Bazaar, read by catalogues of paid services), and that a buyer may name a purchase (payment-identifier).
 *
 * sign-in-with-x is not among them: there it would promise that a signature alone opens this same address again, and
 * clients that see it sign at every 402. What was bought is signed for under /api/purchases/:id, whose 401 says how.
 */
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { declarePaymentIdentifierExtension, PAYMENT_IDENTIFIER } from '@x402/extensions/payment-identifier';
import { z } from 'zod';
import { paramFacts } from '../routes/params.ts';
import type { Route } from '../routes/define.ts';

/** Fields of a record, and of a section of a larger answer, that an example shows; the interface description has them all. */
const [FIELDS_OF_RECORD, FIELDS_OF_SECTION] = [8, 2];
const DEEPEST = 2;

interface Shape {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Shape[];
  properties?: Record<string, Shape>;
  items?: Shape;
}

/** Something of this shape, cut short. */
function exampleOf(shape: Shape, depth = 0, fields = FIELDS_OF_SECTION): unknown {
  if (shape.const !== undefined) return String(shape.const).slice(0, 40);
  if (shape.enum) return shape.enum[0];
  if (shape.anyOf) return exampleOf(shape.anyOf[0] ?? {}, depth, fields);
  switch (shape.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(shape.properties ?? {})
          .slice(0, depth === 0 ? undefined : depth < DEEPEST ? fields : 0)
          .map(([name, inner]) => [name, exampleOf(inner, depth + 1)]),
      );
    case 'array':
      return depth < DEEPEST ? [exampleOf(shape.items ?? {}, depth, FIELDS_OF_RECORD)] : [];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    default:
      return shape.format ?? 'text';
  }
}

const bodyExample = (route: Route): Record<string, unknown> =>
  route.media === undefined
    ? (exampleOf(z.toJSONSchema(route.reply) as Shape) as Record<string, unknown>)
    : { csv: 'header line, then one line a record' };

/** Extensions of a route's payment configuration. */
export function extensionsOf(route: Route): Record<string, unknown> {
  const typesOf = (params: Route['params']): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(params).map(([name, schema]) => {
        const { kind, values } = paramFacts(schema);
        return [
          name,
          {
            type: ['integer', 'number', 'boolean'].includes(kind) ? kind : 'string',
            ...(values === undefined || kind === 'boolean' ? {} : { enum: values }),
          },
        ];
      }),
    );
  return {
    ...declareDiscoveryExtension({
      input: {},
      inputSchema: { properties: typesOf(route.params) },
      ...(route.pathParams === undefined ? {} : { pathParamsSchema: { properties: typesOf(route.pathParams) } }),
      output: { example: bodyExample(route) },
    }),
    [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension(),
  };
}
