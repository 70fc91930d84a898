/** Tools from a description of the interface. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseInterface, type Tool } from '../../../lib/mcp/tools.ts';

const toolOf = (more: object): Tool | undefined =>
  parseInterface(
    {
      openapi: '3.1.0',
      info: { title: 'x', version: '1' },
      paths: {
        '/api/lookup': {
          get: {
            operationId: 'lookup',
            summary: 'One address.',
            'x-price-usd': '0.02',
            security: [],
            parameters: [],
            responses: {},
            ...more,
          },
        },
      },
    },
    'https://api.example',
  ).tools[0];

describe('a tool', () => {
  it('states its price', () => {
    for (const [more, expected] of [
      [{}, 'Costs $0.02. No match, no charge.'],
      [{ 'x-price-usd': '0.00' }, 'Free.'],
    ] as const)
      assert.equal(toolOf(more)?.description, `One address. ${expected}`);
  });

  it('takes no parameter that has the name of an argument of its own', () => {
    const show = { name: 'show', in: 'query', required: false, description: 'x', schema: { type: 'string' } };
    assert.throws(() => toolOf({ parameters: [show] }), /a parameter is named show or part or from/);
  });

  it('does not exist for a call that needs a sign-in', () => {
    assert.equal(toolOf({ security: [{ wallet: [] }] }), undefined);
  });

  it('has an output schema with the fields of the body, of which none is required', () => {
    const schema = {
      type: 'object',
      required: ['count'],
      properties: { count: { type: 'integer' }, day: { anyOf: [{ type: 'string' }, { type: 'null' }] }, x: {} },
    };
    assert.deepEqual(toolOf({ responses: { 200: { content: { 'application/json': { schema } } } } })?.outputSchema, {
      type: 'object',
      properties: {
        body: {
          type: 'object',
          properties: { count: { type: 'integer' }, day: { type: ['string', 'null'] }, x: {} },
        },
      },
    });
  });
});
