/** The application: routes, payments, site, error responses and logging, assembled from its dependencies. */
import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { Router } from '@koa/router';
import Koa, { type Middleware } from 'koa';
import { redactor, type Redact } from '../lib/redact.ts';
import { discoveryDocuments, interfaceHashOf, mountDocuments, receiptKeysDocument } from './docs/documents.ts';
import { MCP_PATH, openApi } from './docs/openapi.ts';
import { catalogEntry, paymentRoutes } from './docs/x402_extensions.ts';
import { createHealthCheck, mountHealth, type Health } from './http/health.ts';
import {
  compression,
  crossOrigin,
  linkReports,
  requireOneHost,
  redactResponses,
  redactValue,
} from './http/middleware.ts';
import { catchErrors, checkUrl, Problem, type Extras } from './http/problem.ts';
import { logRequests, type RequestLog } from './http/log.ts';
import { createQuota, limitUnpaid } from './http/quota.ts';
import { carryResponses, stateOf } from './http/request_state.ts';
import { purchaseCollector } from './payments/collect.ts';
import { fundedPayers } from './payments/funded_payer.ts';
import { paymentLayer, type PaymentLayer } from './payments/middleware.ts';
import type { OpenPayments } from './payments/modes.ts';
import type { RunningPayments } from './payments/open.ts';
import { offeredBy, type PaymentLayerOptions, type PaymentNetwork } from './payments/paid_request.ts';
import { allRoutes } from './routes/all.ts';
import { createCursors } from './routes/list/page.ts';
import { routeKey, type Route } from './routes/define.ts';
import { refundTermsOf } from './routes/guarantee.ts';
import { holdReader } from './routes/leads/lead_holds.ts';
import { mountRoutes, type MountOptions } from './routes/mount.ts';
import { mountPurchases, purchaseUrl } from './routes/purchases.ts';
import { mountArchive } from './site/archive/mount.ts';
import { archivedPages } from './site/archive/archived_pages.ts';
import { errorPages } from './site/error_pages.ts';
import { mountBought, mountTestWallet } from './site/pay/routes.ts';
import { mountSite, type Site } from './site/site.ts';
import type { Snapshots } from './serving/follow.ts';
import type { ServerSettings } from './settings.ts';

/** Default handler timeout. */
const HANDLER_MS = 30_000;

export interface AppDeps extends Partial<Pick<MountOptions, 'nowMs' | 'handlerMs' | 'checkResponses'>> {
  readonly settings: Pick<
    ServerSettings,
    'DATA_DIR' | 'UNBILLED_PER_MINUTE' | 'PROXY_HOPS' | 'CONTACT_EMAIL' | 'REPORT_URL' | 'CURSOR_SECRET'
  >;
  /** Public URL, without a trailing slash. */
  readonly publicUrl: string;
  /** Their store has the archived pages that the data folder does not have. */
  readonly snapshots: Snapshots;
  readonly payments: PaymentNetwork &
    Pick<OpenPayments, 'mode' | 'payTo' | 'wait' | 'notice' | 'sandbox'> &
    Pick<PaymentLayerOptions, 'ledger' | 'receiptKeys'> &
    Partial<Pick<RunningPayments, 'health'>>;
  /** Removes the secrets of the settings from responses. */
  readonly redact?: Redact;
  readonly log?: (entry: RequestLog) => void;
}

/** Fields of every 402: the price, the network and its token, the receiving address, and how to pay. */
const paymentInstructions = (price: string, { network, payTo, notice }: AppDeps['payments']): Extras => ({
  price: `$${price}`,
  protocol: 'x402 version 2',
  network: network.name,
  asset: network.usdc.address,
  pay_to: payTo,
  how_to_pay:
    'Sign the terms in the PAYMENT-REQUIRED header and send the request again with the signature in ' +
    'PAYMENT-SIGNATURE; @x402/fetch does both. You are charged only if the response is 200.' +
    (Number(price) > 1
      ? ' @x402/fetch stops at $1 per payment unless you raise its spendControls.maxAmountPerPayment.'
      : ''),
  ...(notice === undefined ? {} : { test_money: true, notice }),
});

export interface App {
  readonly koa: Koa;
  readonly routes: readonly Route[];
  readonly payments: PaymentLayer;
  readonly health: () => Promise<Health>;
  /** Writes the documents that describe the interface, which the first free response needs. */
  readonly describe: () => void;
}

function createPaymentLayer(deps: AppDeps, routes: readonly Route[], nowMs: () => number): PaymentLayer {
  const { payments, publicUrl } = deps;
  const terms = new Map(routes.map((route) => [routeKey(route), refundTermsOf(route)]));
  return paymentLayer({
    ...payments,
    acceptsContractWallets: payments.mode !== 'self',
    publicUrl,
    nowMs,
    routes: paymentRoutes(routes, payments.payTo, payments.network),
    catalog: new Map(
      routes.filter(({ price }) => price !== null).map((route) => [routeKey(route), catalogEntry(route, publicUrl)]),
    ),
    refundTerms: (key) => terms.get(key) ?? null,
    snapshotOf: (ctx) => stateOf(ctx).snapshotId ?? '',
    collectUrl: (idOrNonce) => purchaseUrl(publicUrl, idOrNonce),
    howToPay: (ctx) => ({ ...paymentInstructions(stateOf(ctx).route?.price ?? '', payments), ...stateOf(ctx).offer }),
  });
}

const methodNotAllowed = (): Problem =>
  new Problem('method_not_allowed', 'Only GET and HEAD are allowed here.', {}, { Allow: 'GET, HEAD' });

/** What the parts of one application share: each mounts with those of these that it needs. */
function openShop(deps: AppDeps) {
  const { payments, publicUrl, snapshots, settings } = deps;
  const { nowMs = Date.now, redact = redactor([]), handlerMs = HANDLER_MS } = deps;
  const { UNBILLED_PER_MINUTE: perMinute, CONTACT_EMAIL: email } = settings;
  const secret = settings.CURSOR_SECRET ?? randomBytes(32).toString('hex');
  const routes = allRoutes({ ...deps, network: payments.network, paymentNotice: payments.notice });
  const layer = createPaymentLayer(deps, routes, nowMs);
  const checkHealth = createHealthCheck({ snapshots, payments, layer, nowMs });
  const payerOf = fundedPayers({ ...payments, checks: createQuota(perMinute, nowMs), nowMs });
  return {
    ...payments,
    ...deps,
    nowMs,
    redact,
    handlerMs,
    checkResponses: deps.checkResponses === true,
    email,
    secret,
    reportTemplate: settings.REPORT_URL ?? (email && `mailto:${email}?subject={id}`),
    routes,
    layer,
    cursors: createCursors(secret),
    holds: holdReader(payments.ledger, nowMs),
    health: async () => redactValue(await checkHealth(), redact),
    /** Rate limit of unpaid responses, if there is one. */
    limit:
      perMinute === 0
        ? undefined
        : limitUnpaid({ perMinute, payerOf: (ctx, client) => payerOf(offeredBy(ctx), client), nowMs }),
    collectUrl: (receiptId: string) => purchaseUrl(publicUrl, receiptId),
  };
}
type Shop = ReturnType<typeof openShop>;

/** The API, its documents for programs, and /health. @returns the hash of the interface */
function mountApi(router: Router, shop: Shop): () => string {
  const { receiptKeys, health, nowMs } = shop;
  const documents = discoveryDocuments(shop);
  const interfaceHash = interfaceHashOf(documents);
  mountRoutes(router, { ...shop, interfaceHash });
  mountDocuments(router, [...documents, receiptKeysDocument(receiptKeys)], nowMs);
  mountPurchases(router, { ...shop, collector: purchaseCollector(shop) });
  mountHealth(router, health);
  return interfaceHash;
}

/** The pages for people. */
function mountPages(router: Router, shop: Shop): Site {
  const { snapshots, sandbox, notice = '', payTo, publicUrl, settings } = shop;
  const pages = { ...shop, notice, hasTestWallet: sandbox !== undefined };
  const site = mountSite(router, pages);
  mountArchive(router, site, { ...pages, archive: archivedPages(settings.DATA_DIR, snapshots.store) });
  mountBought(router, snapshots);
  if (sandbox) mountTestWallet(router, { ...sandbox, payTo }, publicUrl);
  return site;
}

/** Everything that runs before a route, from the outside in. */
function addMiddleware(koa: Koa, { publicUrl, snapshots, limit, redact, reportTemplate, log }: Shop, site: Site): void {
  koa.use(carryResponses);
  koa.use(logRequests(log ?? (() => undefined)));
  // Also outside, to log errors of compressing, redacting and rendering a response.
  koa.use(catchErrors);
  const [crossOriginApi, crossOriginMcp] = [crossOrigin(), crossOrigin(['POST'])];
  koa.use((ctx, next) => (ctx.path === MCP_PATH ? crossOriginMcp : crossOriginApi)(ctx, next));
  koa.use(compression());
  koa.use(errorPages(site, snapshots));
  koa.use(redactResponses(redact));
  // Outside of the errors, so that their responses say it too.
  if (reportTemplate !== undefined) koa.use(linkReports(reportTemplate));
  koa.use(catchErrors);
  if (limit) {
    // Monitoring must always reach /health. A tool call is counted as the request that it makes.
    koa.use((ctx, next) => (ctx.path === '/health' || ctx.path === MCP_PATH ? next() : limit(ctx, next)));
  }
  koa.use(requireOneHost());
  koa.use(checkUrl(publicUrl));
}

export function createApp(deps: AppDeps): App {
  const { payments, publicUrl } = deps;
  if (payments.sandbox && payments.mode !== 'sandbox') throw new Error('the test wallet is only for test money');
  const shop = openShop(deps);
  const { routes, layer, health } = shop;
  const router = new Router({ sensitive: true });
  const describe = mountApi(router, shop);
  const site = mountPages(router, shop);

  const { PROXY_HOPS: proxies } = deps.settings;
  const koa = new Koa(proxies > 0 ? { proxy: true, maxIpsCount: proxies } : {});
  koa.silent = true;
  let application: RequestListener | undefined;
  let mcp: Promise<Middleware> | undefined;
  router.all(MCP_PATH, async (ctx, next) => {
    // The library of MCP is loaded with the first message.
    mcp ??= import('./mcp/endpoint.ts').then(({ mcpHandler }) =>
      mcpHandler({
        ...shop,
        description: () => openApi(routes, publicUrl),
        application: () => (application ??= koa.callback()),
      }),
    );
    await (
      await mcp
    )(ctx, next);
  });
  addMiddleware(koa, shop, site);
  koa.use(router.routes());
  koa.use(router.allowedMethods({ throw: true, methodNotAllowed, notImplemented: methodNotAllowed }));
  return { koa, routes, payments: layer, health, describe };
}
