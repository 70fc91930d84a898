/** The audit of a catalog of paid APIs, run against a server as the catalog runs it. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  checkEndpointSchema,
  checkL2ForOpenAPI,
  checkL4ForOpenAPI,
  discoverOriginSchema,
  evaluateMetadataCompleteness,
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
  scrapeFavicon,
  validatePaymentRequiredDetailed,
  type OpenApiSource,
} from '@agentcash/discovery';
import { exampleCall } from '../../../api/docs/examples.ts';
import { templateOf, type Route } from '../../../api/routes/define.ts';
import { sharedApp } from '../support/test_app.ts';
import { rowsOfTable, uuid } from '../support/snapshot_fixtures.ts';

/** Findings that are expected, each with its reason. None is an error. */
const EXPECTED_FINDINGS = [
  // The document is older than x-payment-info, other catalogs read it, and it has the same prices.
  'LEGACY_WELL_KNOWN_FOUND',
];

const codesOf = (findings: readonly { readonly code: string }[]): string[] => findings.map(({ code }) => code);

/** A price as the catalog writes it. */
const priceOf = ({ price }: Route): string => `${price} USD`;

describe('the audit of a catalog', () => {
  const shared = sharedApp({ deals: rowsOfTable('deals', 1) }, { contactEmail: 'ops@dealfeed.example' });
  let openApi: OpenApiSource;
  const paid = (): Route[] => shared.app.app.routes.filter(({ price }) => price !== null);
  /** The example call of a route, of a deal that this server has. */
  const urlOf = (route: Route): string => {
    const url = new URL(route.path.replace(':id', uuid(1)), shared.app.url);
    for (const [name, value] of Object.entries(exampleCall(route))) url.searchParams.set(name, String(value));
    return url.href;
  };

  before(async () => {
    const found = (await getOpenAPI(shared.app.url)).unwrapOr(null);
    assert.ok(found && !isOpenApiParseFailure(found), JSON.stringify(found));
    openApi = found;
  });
  it('finds every paid route with its price, and tells free ones and the sign-in apart', async () => {
    const found = await discoverOriginSchema({ target: shared.app.url });
    assert.ok(found.found);
    assert.equal(found.info?.contactEmail, 'ops@dealfeed.example');
    assert.ok(found.guidance, 'the guidance is short enough to be included');
    const endpoints = found.endpoints.map(({ path, method, authMode, price, protocols }) =>
      [method, path, authMode, price, protocols].flat().join(' '),
    );
    const expected = shared.app.app.routes.map((route) =>
      route.price === null
        ? `GET ${templateOf(route)} unprotected  `
        : `GET ${templateOf(route)} paid ${priceOf(route)} x402`,
    );
    assert.deepEqual(endpoints, [...expected, 'GET /api/purchases/{id} siwx  ']);
    assert.ok(paid().length >= 19);
  });

  it('has no finding on the description, the guidance and the site but the expected ones', async () => {
    const findings = [
      ...getWarningsForOpenAPI(openApi),
      ...getWarningsForL2(checkL2ForOpenAPI(openApi)),
      ...getWarningsForL4(checkL4ForOpenAPI(openApi)),
      ...(await getWarningsForFavicon(shared.app.url)).unwrapOr([]),
      ...getWarningsForLegacyWellKnown(
        (await probeLegacyWellKnown(shared.app.url)).unwrapOr({ x402: false, mpp: false }),
      ),
    ];
    assert.deepEqual(codesOf(findings), EXPECTED_FINDINGS);
    assert.deepEqual(
      findings.filter(({ severity }) => severity !== 'info'),
      [],
    );
  });

  it('finds a title, a description, an icon and an image on the front page', async () => {
    const page = await (await fetch(shared.app.url, { headers: { Accept: 'text/html' } })).text();
    const first = (pattern: RegExp): string | null => pattern.exec(page)?.[1] ?? null;
    const metadata = {
      title: first(/<title>([^<]+)</u),
      description: first(/<meta name="description" content="([^"]+)"/u),
      favicon: await scrapeFavicon(shared.app.url),
      ogImages: [first(/<meta property="og:image" content="([^"]+)"/u) ?? ''],
    };
    assert.deepEqual(evaluateMetadataCompleteness(metadata), []);
    assert.match(metadata.favicon ?? '', /favicon\.ico$/u, 'without Accept: text/html, the usual places are tried');
  });

  it('gets a valid 402 with terms, input and output from every paid route, and no finding', async () => {
    for (const route of paid()) {
      const url = urlOf(route);
      const { pathname } = new URL(url);
      const probes = (await getProbe(url)).unwrapOr([]);
      // OPTIONS answers 2xx, with the methods that are allowed.
      const answered = probes.filter(({ method }) => method !== 'OPTIONS');
      assert.deepEqual(
        answered.map(({ method, authHint }) => [method, authHint]),
        [
          ['GET', 'paid'],
          ['HEAD', 'paid'],
        ],
        url,
      );
      const described = getL3ForOpenAPI(openApi, pathname, 'GET');
      const probed = getL3ForProbe(probes, pathname, 'GET', openApi);
      assert.deepEqual([...getWarningsForL3(described), ...getWarningsForL3(probed)], [], url);
      assert.deepEqual([described?.authMode, described?.estimatedPrice], ['paid', priceOf(route)], url);
      assert.ok(described?.inputSchema && described.outputSchema, url);
      const result = validatePaymentRequiredDetailed(probed?.paymentRequiredBody);
      const { hasInputSchema, hasOutputSchema } = result.normalized ?? {};
      assert.deepEqual([result.issues, hasInputSchema, hasOutputSchema], [[], true, true], url);
    }
  });

  it('prints the price of one URL, with the command that catalogs use', async () => {
    const [first] = paid();
    assert.ok(first);
    const found = await checkEndpointSchema({ url: urlOf(first), probe: true });
    assert.ok(found.found);
    const [get] = found.advisories;
    assert.deepEqual([get?.method, get?.authMode, get?.source], ['GET', 'paid', 'probe']);
    assert.equal(get?.paymentOptions?.length, 1);
  });

  it('is run: it finds a price that is missing', () => {
    const { routes } = openApi;
    const without = {
      ...openApi,
      routes: routes.map(({ path, method }) => ({ path, method, authMode: 'paid' as const })),
    };
    assert.equal(
      codesOf(getWarningsForL2(checkL2ForOpenAPI(without))).filter((code) => code === 'L2_PRICE_MISSING_ON_PAID')
        .length,
      routes.length,
    );
  });
});
