/**
 * x402 extensions in each 402: parameters and an example response (Bazaar, read by catalogs of paid services), and
 * support for payment identifiers.
 *
 * sign-in-with-x is not declared: clients that see it sign at every 402, and it would promise that a signature alone
 * opens the same URL again. A purchase is collected at /api/purchases/:id, whose 401 has the challenge.
 */
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { declarePaymentIdentifierExtension, PAYMENT_IDENTIFIER } from '@x402/extensions/payment-identifier';
import { z } from 'zod';
import { paramFacts } from '../routes/params.ts';
import type { Route } from '../routes/define.ts';

/** Most fields of a record, and of a section of a larger response, in an example. OpenAPI has all of them. */
const [FIELDS_OF_RECORD, FIELDS_OF_SECTION] = [8, 2];
const MAX_DEPTH = 2;

interface Shape {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Shape[];
  properties?: Record<string, Shape>;
  items?: Shape;
}

/** A shortened example of this shape. */
function exampleOf(shape: Shape, depth = 0, fields = FIELDS_OF_SECTION): unknown {
  if (shape.const !== undefined) return String(shape.const).slice(0, 40);
  if (shape.enum) return shape.enum[0];
  if (shape.anyOf) return exampleOf(shape.anyOf[0] ?? {}, depth, fields);
  switch (shape.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(shape.properties ?? {})
          .slice(0, depth === 0 ? undefined : depth < MAX_DEPTH ? fields : 0)
          .map(([name, inner]) => [name, exampleOf(inner, depth + 1)]),
      );
    case 'array':
      return depth < MAX_DEPTH ? [exampleOf(shape.items ?? {}, depth, FIELDS_OF_RECORD)] : [];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    default:
      return shape.format ?? 'text';
  }
}

/** By response: each server of a process has the same ones, and a schema is slow to write as JSON. */
const examples = new WeakMap<z.ZodType, Record<string, unknown>>();

function bodyExample({ media, response }: Route): Record<string, unknown> {
  if (media !== undefined) return { csv: 'header line, then one line per record' };
  const example = examples.get(response) ?? (exampleOf(z.toJSONSchema(response) as Shape) as Record<string, unknown>);
  examples.set(response, example);
  return example;
}

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
