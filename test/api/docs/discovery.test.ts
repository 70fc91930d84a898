/**
 * What catalogs and agents read of a server with a day of the sandbox: the OpenAPI description, the 402 of every priced
 * call, and the bytes that a facilitator receives.
 */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  checkL2ForOpenAPI,
  checkL4ForOpenAPI,
  discoverOriginSchema,
  getL3ForOpenAPI,
  getL3ForProbe,
  getOpenAPI,
  getProbe,
  getWarningsForFavicon,
  getWarningsForL2,
  getWarningsForL3,
  getWarningsForL4,
  getWarningsForLegacyWellKnown,
  getWarningsForOpenAPI,
  isOpenApiParseFailure,
  probeLegacyWellKnown,
  validatePaymentRequiredDetailed,
} from '@agentcash/discovery';
import { Validator } from '@seriousme/openapi-schema-validator';
import {
  decodePaymentRequiredHeader,
  encodePaymentRequiredHeader,
  encodePaymentSignatureHeader,
} from '@x402/core/http';
import { PaymentRequiredV2Schema } from '@x402/core/schemas';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import {
  extractDiscoveryInfo,
  extractDiscoveryInfoFromExtension,
  sanitizeResourceServiceMetadata,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
  type DiscoveryExtension,
} from '@x402/extensions/bazaar';
import { validatePaymentIdentifier } from '@x402/extensions/payment-identifier';
import { exampleUrl } from '../../../api/docs/examples.ts';
import { httpFacilitator } from '../../../api/payments/facilitator.ts';
import { mediaOf, templateOf, type Route } from '../../../api/routes/define.ts';
import { isObject } from '../../../lib/json.ts';
import { atomicOf, BASE } from '../../../lib/network.ts';
import { ABSENT_ABOUT } from '../../../lib/record.ts';
import { TABLES } from '../../../models/serving/tables.ts';
import { afterFirstDay } from '../../pipelines/starting_points.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { paymentIn } from '../mcp/agents.ts';
import { TERMS } from '../support/base.ts';
import { buyerWith, fetchPaymentRequired, fetchWithPayment } from '../support/buyers.ts';
import { responseChecker } from '../support/response_checker.ts';
import { PUBLIC_URL, ScriptedFacilitator, startApp, type Started } from '../support/test_app.ts';

/** Longest header line that common proxies accept. */
const LINE_BYTES = 4_096;
/** Most characters of a description that catalogs show. */
const DESCRIPTION_CHARACTERS = 500;
const EXAMPLES = fileURLToPath(new URL('../../../api/docs/examples.json', import.meta.url));
/** Fields of an object in an example answer. */
const MAX_FIELDS = 12;

interface Settle {
  readonly paymentPayload: PaymentPayload;
  readonly paymentRequirements: PaymentRequirements;
}
interface Operation {
  readonly operationId: string;
  readonly security: unknown[];
  readonly parameters: { readonly name: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
interface Described {
  readonly description?: string;
}

/** A JSON Schema. */
interface Schema extends Described {
  readonly type?: string | readonly string[];
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
}
/** Names of fields that hold a code of a closed list. */
const CODE = /(?:^|_)(?:status|basis|reason|kind|method|region|freshness|agreement|consistency)$/u;

/** What is wrong with the fields of a schema at any depth: codes without a list, and nulls that nothing explains. */
function unfairFields(schema: Schema, path: string, namesNulls = false): string[] {
  const { properties = {}, items, additionalProperties, anyOf = [] } = schema;
  const explains = namesNulls || Object.hasOwn(properties, 'absent');
  const inner = (one: Schema, at: string): string[] => unfairFields(one, at, explains);
  return [
    ...Object.entries(properties).flatMap(([name, field]) => {
      const forms = [field, ...(field.anyOf ?? [])];
      const has = (type: string): boolean => forms.some((form) => [form.type].flat().includes(type));
      const isClosed = forms.some((form) => form.enum !== undefined || form.const !== undefined);
      const about = field.description ?? '';
      return [
        ...(CODE.test(name) && has('string') && !isClosed ? [`${path}.${name} is an open list`] : []),
        ...(has('null') && !explains && !/[Nn]ull/u.test(about) ? [`${path}.${name} is null for no reason`] : []),
        ...inner(field, `${path}.${name}`),
      ];
    }),
    ...anyOf.flatMap((one) => inner(one, path)),
    ...(items ? inner(items, `${path}[]`) : []),
    ...(typeof additionalProperties === 'object' ? inner(additionalProperties, `${path}.*`) : []),
  ];
}

/** An answer with the first item of each list, and without fields deeper than a record's. */
function shortened(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => shortened(item, depth));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => depth < 2 || typeof field !== 'object');
  return Object.fromEntries(fields.slice(0, MAX_FIELDS).map(([name, field]) => [name, shortened(field, depth + 1)]));
}

describe('the descriptions of the server', () => {
  let started: Started;
  let facilitatorServer: TestServer;
  const received: string[] = [];
  const buyer = buyerWith();
  const priced = (): Route[] => started.app.routes.filter(({ price }) => price !== null);
  const urlOf = (route: Route): string => exampleUrl(route, started.url);

  before(async () => {
    const facilitator = new ScriptedFacilitator();
    facilitatorServer = await startTestServer(async (request, response) => {
      const body = await text(request);
      received.push(body);
      const transaction = facilitator.move((JSON.parse(body) as Settle).paymentPayload);
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ success: true, transaction }));
    });
    const client = httpFacilitator({ network: BASE, url: facilitatorServer.url });
    facilitator.onSettle = (payload, requirements) => client.settle(payload, requirements);
    const { layout } = await afterFirstDay();
    started = await startApp(layout.root, { facilitator, settings: { CONTACT_EMAIL: 'ops@dealfeed.example' } });
  });
  after(async () => {
    await started.close();
    await facilitatorServer.close();
  });

  it('are valid OpenAPI 3.1, with each call once, and each field of a record with its meaning', async () => {
    const document = (await (await fetch(`${started.url}/openapi.json`)).json()) as Document;
    assert.deepEqual(await new Validator().validate({ ...document }), { valid: true });
    for (const route of started.app.routes) {
      const { get } = document.paths[templateOf(route)] ?? assert.fail(route.path);
      const names = [...Object.keys(route.pathParams ?? {}), ...Object.keys(route.params)];
      assert.deepEqual([get.operationId, get.parameters.map(({ name }) => name)], [route.name, names]);
      assert.deepEqual([get.security, '402' in get.responses], [[], route.price !== null], route.path);
    }
    for (const table of ['deals', 'signals', 'auctions', 'leads', 'owners', 'filings'] as const) {
      const { name: record, columns } = TABLES[table];
      const about = Object.entries(document.components.schemas[record]?.properties ?? {});
      assert.deepEqual(
        about.map(([name, { description }]) => [name, description]),
        [...columns.map((column) => [column.name, column.about]), ['absent', ABSENT_ABOUT]],
      );
    }
  });

  it('list every value of each code, and state when each field is null, at every depth of every schema', async () => {
    const { components } = (await (await fetch(`${started.url}/openapi.json`)).json()) as Document;
    assert.ok(Object.keys(components.schemas).length > 20);
    assert.deepEqual(
      Object.entries(components.schemas).flatMap(([name, schema]) => unfairFields(schema, name)),
      [],
    );
  });

  it('have an example of each call, which returns the described response and is billed if priced', async (t) => {
    const answers: Record<string, unknown> = {};
    const checked = started.responsesChecked();
    for (const route of started.app.routes) {
      const url = urlOf(route);
      assert.equal((await fetch(url)).status, route.price === null ? 200 : 402, url);
      const response = await buyer.fetch(url);
      const body = await response.text();
      const receipt = response.headers.get('Receipt-Id');
      assert.deepEqual([response.status, receipt === null], [200, route.price === null], url);
      assert.equal((await fetch(`${url}${url.includes('?') ? '&' : '?'}nothing=1`)).status, 400, url);
      if (receipt === null) continue;
      const known = body.replaceAll(receipt, '2f1c7a4e-6d3b-4c55-9d0a-1f6f0c9f8f11');
      answers[route.path] =
        route.media === undefined
          ? shortened(JSON.parse(known.replaceAll(/("claimed_at":)"[^"]+"/gu, '$1"2026-11-20T12:00:00Z"')))
          : known.split('\r\n').slice(0, 2).join('\r\n');
    }
    t.assert.fileSnapshot(answers, EXAMPLES);
    assert.ok(started.responsesChecked() >= checked + 3 * started.app.routes.length);
  });

  it('are checked against every response: one that differs is reported', async () => {
    const checker = responseChecker(started.app.routes);
    const server = await startTestServer((request, response) => {
      checker.watch(request, response);
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ note: 'x', count: '1', generated_at: 'yesterday', records: [] }));
    });
    await (await fetch(`${server.url}/api/deals/ids`)).text();
    await server.close();
    assert.match(checker.errors.join('\n'), /count must be integer/);
  });

  it('pass the audit of a catalog: it finds each call with its price, and notes only the old document', async () => {
    const found = await discoverOriginSchema({ target: started.url });
    assert.ok(found.found && found.guidance);
    assert.equal(found.info?.contactEmail, 'ops@dealfeed.example');
    const expected = started.app.routes.map((route) =>
      route.price === null
        ? `GET ${templateOf(route)} unprotected  `
        : `GET ${templateOf(route)} paid ${route.price} USD x402`,
    );
    assert.deepEqual(
      found.endpoints.map(({ path, method, authMode, price, protocols }) =>
        [method, path, authMode, price, protocols].flat().join(' '),
      ),
      [...expected, 'GET /api/purchases/{id} siwx  '],
    );
    const openApi = (await getOpenAPI(started.url)).unwrapOr(null);
    assert.ok(openApi && !isOpenApiParseFailure(openApi));
    const legacy = (await probeLegacyWellKnown(started.url)).unwrapOr({ x402: false, mpp: false });
    const findings = [
      ...getWarningsForOpenAPI(openApi),
      ...getWarningsForL2(checkL2ForOpenAPI(openApi)),
      ...getWarningsForL4(checkL4ForOpenAPI(openApi)),
      ...(await getWarningsForFavicon(started.url)).unwrapOr([]),
      ...getWarningsForLegacyWellKnown(legacy),
    ];
    // Other catalogs read the older document, which has the same prices.
    assert.deepEqual(
      findings.map(({ code, severity }) => [code, severity]),
      [['LEGACY_WELL_KNOWN_FOUND', 'info']],
    );
    for (const route of priced()) {
      const { pathname } = new URL(urlOf(route));
      const probes = (await getProbe(urlOf(route))).unwrapOr([]);
      const described = getL3ForOpenAPI(openApi, pathname, 'GET');
      const probed = getL3ForProbe(probes, pathname, 'GET', openApi);
      assert.deepEqual([...getWarningsForL3(described), ...getWarningsForL3(probed)], [], route.path);
      assert.deepEqual([described?.authMode, described?.estimatedPrice], ['paid', `${route.price} USD`], route.path);
      const { issues, normalized } = validatePaymentRequiredDetailed(probed?.paymentRequiredBody);
      assert.deepEqual([issues, normalized?.hasInputSchema, normalized?.hasOutputSchema], [[], true, true], route.path);
    }
  });

  it('include llms.txt with every call, and x402 resources with the same terms as the 402', async () => {
    const llms = await (await fetch(`${started.url}/llms.txt`)).text();
    for (const route of started.app.routes) assert.ok(llms.includes(`GET ${templateOf(route)}](`), route.path);
    const { resources } = (await (await fetch(`${started.url}/.well-known/x402`)).json()) as {
      resources: { resource: string; accepts: PaymentRequirements[] }[];
    };
    const offered = await Promise.all(
      priced().map(async (route) => {
        const [terms] = (await fetchPaymentRequired(urlOf(route))).accepts;
        const { extra: _, ...accepts } = terms ?? assert.fail(route.path);
        return [PUBLIC_URL + templateOf(route), [accepts]];
      }),
    );
    assert.deepEqual(
      resources.map(({ resource, accepts }) => [resource, accepts]),
      offered,
    );
  });

  it('are sent to the facilitator with resource, tags and example, so that catalogs list priced calls', async () => {
    received.length = 0;
    for (const route of priced()) {
      const response = await buyer.fetch(urlOf(route));
      assert.equal(response.status, 200, route.path);
      await response.arrayBuffer();
      const { paymentPayload, paymentRequirements } = JSON.parse(received.at(-1) ?? '') as Settle;
      const found = extractDiscoveryInfo(paymentPayload, paymentRequirements);
      assert.ok(found && found.discoveryInfo.input.type === 'http', route.path);
      assert.deepEqual(
        [found.resourceUrl, found.mimeType, found.description, found.discoveryInfo.input.method],
        [PUBLIC_URL + route.path, mediaOf(route), route.about, 'GET'],
      );
      assert.ok(route.about.length <= DESCRIPTION_CHARACTERS, route.path);
      assert.ok(found.discoveryInfo.output?.example, route.path);
      const { serviceName, tags, iconUrl } = paymentPayload.resource ?? {};
      assert.deepEqual(sanitizeResourceServiceMetadata(paymentPayload.resource), { serviceName, tags, iconUrl });
      assert.ok(serviceName !== undefined && iconUrl !== undefined && tags?.length, route.path);
      const bazaar = paymentPayload.extensions?.['bazaar'] as DiscoveryExtension;
      assert.deepEqual(validateDiscoveryExtensionSpec({ ...bazaar }), { valid: true }, route.path);
    }
    assert.equal(received.length, priced().length);
    const url = `${started.url}/api/deals?state=OH`;
    const payment = paymentIn(await buyer.sign(url));
    const spoiled = {
      ...payment,
      resource: { url: 'https://other.example/stolen', description: 'stolen' },
      extensions: { bazaar: { info: { input: { stolen: true } } } },
    };
    assert.equal((await fetchWithPayment(url, encodePaymentSignatureHeader(spoiled))).status, 200);
    const sent = JSON.parse(received.at(-1) ?? '') as Settle;
    assert.equal(sent.paymentPayload.payload['signature'], payment.payload['signature']);
    assert.doesNotMatch(received.at(-1) ?? '', /stolen|city=|state=/u, "nothing else of the buyer's request");
  });

  it('are in the 402 of every priced call for the Bazaar, in a header short enough for proxies', async () => {
    assert.equal(priced().length, 19);
    for (const route of priced()) {
      const required = await fetchPaymentRequired(urlOf(route));
      const { extensions, resource } = required;
      PaymentRequiredV2Schema.parse(required);
      // An exclusive lead is reserved for this long if the payment never arrives.
      const maxTimeoutSeconds = route.isExclusive ? 60 : 300;
      const amount = String(atomicOf(route.price ?? ''));
      assert.deepEqual(required.accepts, [{ ...TERMS, amount, maxTimeoutSeconds }], route.path);
      assert.equal(resource.url, urlOf(route).replace(started.url, PUBLIC_URL));
      const bazaar = extensions?.['bazaar'] as DiscoveryExtension;
      assert.deepEqual(validateDiscoveryExtension(bazaar), { valid: true }, route.path);
      assert.deepEqual(validateDiscoveryExtensionSpec({ ...bazaar }), { valid: true }, route.path);
      const info = extractDiscoveryInfoFromExtension(bazaar);
      assert.equal('method' in info.input && info.input.method, 'GET', route.path);
      assert.equal(resource.mimeType, mediaOf(route), route.path);
      assert.deepEqual([resource.tags, resource.iconUrl, info.output], [undefined, undefined, undefined], route.path);
      assert.deepEqual(validatePaymentIdentifier(extensions?.['payment-identifier']), { valid: true }, route.path);
      assert.deepEqual(Object.keys(extensions ?? {}), ['bazaar', 'payment-identifier'], route.path);
      const size = encodePaymentRequiredHeader(required).length;
      assert.ok(size <= 3_000, `${route.path}: ${size}`);
    }
    for (const query of [`city=${'x'.repeat(190)}`, `city=${'%E2%82%AC'.repeat(200)}`]) {
      const response = await fetch(`${started.url}/api/deals?${query}`);
      const header = response.headers.get('PAYMENT-REQUIRED') ?? '';
      assert.ok(header !== '' && `PAYMENT-REQUIRED: ${header}\r\n`.length <= LINE_BYTES, query);
      const named = query.length < 1_000 ? `?${query}` : '';
      assert.equal(decodePaymentRequiredHeader(header).resource.url, `${PUBLIC_URL}/api/deals${named}`);
    }
  });
});
