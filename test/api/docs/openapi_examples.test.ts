/** Examples, prices and guidance of the OpenAPI description, checked without a server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_GUIDANCE, openApi } from '../../../api/docs/openapi.ts';
import { allRoutes } from '../../../api/routes/all.ts';
import { PUBLIC_URL, withStarted } from '../support/test_app.ts';
import { exampleUrl, paramExample } from '../../../api/docs/examples.ts';
import { paramFacts, readParams } from '../../../api/routes/params.ts';
import { afterFirstDay } from '../../pipelines/starting_points.ts';
import { descriptionOf, pointerOf } from '../support/response_checker.ts';
import { buyerWith } from '../support/buyers.ts';

interface Described {
  readonly example?: unknown;
}
interface Document {
  readonly info: Record<string, unknown>;
  readonly paths: Record<
    string,
    {
      get: {
        tags: string[];
        security: Record<string, unknown>[];
        parameters: (Described & { name: string })[];
        responses: Record<string, { content?: Record<string, Described> }>;
      };
    }
  >;
  readonly tags: { name: string }[];
  readonly components: {
    readonly headers: object;
    readonly schemas: object;
    readonly securitySchemes: Record<string, Record<string, string>>;
  };
}

const routes = allRoutes({ publicUrl: PUBLIC_URL, spoolDir: '' });
const documentOf = (email?: string): Document => openApi(routes, PUBLIC_URL, email) as unknown as Document;

test('every example in OpenAPI is valid, and no priced response is without one', () => {
  const document = documentOf();
  const { errorOf } = descriptionOf(routes);
  const errors: string[] = [];
  let examples = 0;
  const check = (at: string[], { example }: Described): void => {
    examples += 1;
    const error = errorOf(pointerOf(...at, 'schema'), example);
    if (error !== undefined) errors.push(`${at.join(' ')}: ${error}`);
  };
  for (const [path, { get }] of Object.entries(document.paths)) {
    for (const [i, parameter] of get.parameters.entries())
      if (parameter.example !== undefined) check(['paths', path, 'get', 'parameters', String(i)], parameter);
      else assert.ok(parameter.name === 'cursor' || path.startsWith('/api/purchases/'), `${path} ${parameter.name}`);
    for (const [status, { content = {} }] of Object.entries(get.responses))
      for (const [type, described] of Object.entries(content))
        if (described.example !== undefined)
          check(['paths', path, 'get', 'responses', status, 'content', type], described);
    if (path.startsWith('/api/purchases/')) continue;
    for (const status of ['200', '402', '404'].filter((s) => s in get.responses && '402' in get.responses)) {
      const [first] = Object.values(get.responses[status]?.content ?? {});
      assert.notEqual(first?.example, undefined, `${path} ${status} has no example`);
    }
  }
  assert.deepEqual(errors, []);
  assert.ok(examples > 200, `only ${examples} examples`);
});

test('the guidance is short enough for catalogs and names every call of one register', () => {
  const guidance = String(documentOf().info['x-guidance']);
  assert.ok(guidance.length <= MAX_GUIDANCE, `${guidance.length} characters`);
  for (const path of Object.keys(documentOf().paths).filter((p) => !/^\/(?:ohio|colorado|api\/purchases)\//u.test(p)))
    assert.ok(guidance.includes(`GET ${path} `), path);
});

test('the contact has the address of CONTACT_EMAIL if it is set', () => {
  assert.deepEqual(documentOf().info['contact'], { name: 'Dealfeed', url: PUBLIC_URL });
  assert.deepEqual(documentOf('ops@example.org').info['contact'], {
    name: 'Dealfeed',
    url: PUBLIC_URL,
    email: 'ops@example.org',
  });
});

test('every tag, header component, schema and security scheme is used, and every reference and tag is defined', () => {
  const document = documentOf();
  const text = JSON.stringify(document);
  const operations = Object.values(document.paths).map(({ get }) => get);
  assert.deepEqual(
    [...new Set(operations.flatMap(({ tags }) => tags))].sort(),
    document.tags.map(({ name }) => name).sort(),
  );
  const used = new Set([...text.matchAll(/"\$ref":"#\/components\/(\w+\/[\w.-]+)"/gu)].map(([, name]) => name));
  const defined = Object.entries(document.components)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, parts]) => Object.keys(parts).map((name) => `${kind}/${name}`));
  assert.deepEqual(
    [...used].filter((name) => !defined.includes(name ?? '')),
    [],
  );
  // Owners are sold in lists only; the record is there for its field descriptions.
  assert.deepEqual(
    defined.filter((name) => !used.has(name)),
    ['schemas/owner'],
  );
  const schemes = operations.flatMap(({ security }) => security.flatMap((s) => Object.keys(s)));
  assert.deepEqual([...new Set(schemes)], Object.keys(document.components.securitySchemes));
  assert.equal(document.components.securitySchemes['wallet']?.['x-agentcash-auth-kind'], 'siwx');
});

test('the example call of every endpoint is answered, and billed if it has a price', async () => {
  const { layout } = await afterFirstDay();
  await withStarted(layout.root, {}, async ({ app, url }) => {
    const buyer = buyerWith();
    for (const route of app.routes) {
      const call = exampleUrl(route, url);
      const response = await buyer.fetch(call);
      await response.arrayBuffer();
      assert.equal(response.status, 200, call);
      assert.equal(response.headers.has('Receipt-Id'), route.price !== null, call);
      for (const [name, schema] of Object.entries(route.params)) {
        const value = String(paramExample(name, paramFacts(schema)));
        readParams({ [name]: schema }, new URLSearchParams({ [name]: value }).toString());
      }
    }
  });
});
