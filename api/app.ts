/**
 * The application: routes, errors, payments and logging, put together from what it is given. Order of checks:
 * unknown path or method, bad parameters (400), no data (503), payment (402, 409, 503), the handler (404), settlement.
 */
import { createHash, randomUUID } from 'node:crypto';
import { Router } from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import type { Ledger } from '../ledger/ledger.ts';
import { redactor, type Redact } from '../lib/redact.ts';
import { claimsOf } from './routes/lead_claims.ts';
import { cursorsOf } from './routes/cursor.ts';
import { healthOf, NO_NEWS, type Health, type PaymentHealth } from './http/health.ts';
import { compression, crossOrigin, oneHost, unbilledLimit, within } from './http/middleware.ts';
import { todayOf } from '../models/manifest.ts';
import { readParams, type Params } from './routes/params.ts';
import { collecting } from './payments/collect.ts';
import type { Facilitator } from './payments/facilitator/facilitator_client.ts';
import { paymentLayer, type PaymentLayer, type PaymentLayerOptions } from './payments/middleware.ts';
import type { PaymentSettings } from './payments/modes.ts';
import { NETWORK, USDC } from '../lib/network.ts';
import type { Refusal } from './payments/refusals.ts';
import type { Claimant, SettlementWait } from './payments/sale.ts';
import type { Signatures } from './payments/chain/signatures.ts';
import { reprDigest } from './payments/spooled_answer.ts';
import { documentsOf } from './docs/documents.ts';
import { documentOf, Problem, PROBLEMS, type Extras, type Reason } from './http/problem.ts';
import {
  isTemplate,
  paymentRoutes,
  routeKey,
  templateRoute,
  type Asked,
  type Attachment,
  type Route,
} from './routes/define.ts';
import { redacted, redacting } from './http/redact_responses.ts';
import { JsonText, plainOf } from './snapshot/json_text.ts';
import { allRoutes } from './routes/all.ts';
import { mountPurchases, purchaseUrl } from './routes/purchases.ts';
import type { SandboxBuyer } from './site/buyer.ts';
import { mountPurchase } from './site/purchase.ts';
import { refusalPages } from './site/error_pages.ts';
import { mountSite } from './site/site.ts';
import type { Snapshots } from './snapshot/follow.ts';

/** Longest path and query, so that the payment headers that repeat it stay below 4 kB. */
const LONGEST_URL = 2_000;

/** Time for a handler to make its answer. */
const ANSWER_MS = 30_000;
const SLOW_TIMES = 4;
/** How much longer a purchase is reserved than its answer may take. */
const LEASE_MARGIN_MS = 15_000;

/** How long a free answer may be kept before asking whether it changed. */
const FREE_SECONDS = 60;

const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);

/** What is logged of a request. Never a header. */
export interface RequestLog {
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
  readonly route?: string;
  readonly query: string;
  readonly status: number;
  readonly ms: number;
  readonly snapshot_id?: string;
  readonly reason?: Reason;
  readonly charged?: string;
  readonly payer?: string;
  readonly transaction?: string;
  readonly receipt_id?: string;
  readonly error?: unknown;
  /** A payment sent for settlement whose outcome is not known: what is needed to look it up on the chain. */
  readonly unresolved?: Readonly<Record<string, string>>;
}

export interface AppDeps {
  readonly snapshots: Snapshots;
  readonly payments: {
    readonly mode: PaymentSettings['mode'];
    readonly facilitator: Facilitator;
    readonly chain: PaymentLayerOptions['chain'];
    readonly payTo: string;
    readonly ledger: Ledger;
    readonly signatures: Signatures;
    readonly contractWallets: boolean;
    readonly wait: SettlementWait;
    /** What is known of settlements, beside whether payments can be taken. */
    readonly health?: () => Promise<PaymentHealth>;
    /** Said in /api/meta and in every 402 where the money is not real. */
    readonly notice?: string;
  };
  /** Who buys in the sandbox's test purchase. Refused where the money is real. */
  readonly sandboxBuyer?: SandboxBuyer;
  /** Folder of all published snapshots, over which the site runs the back-test. */
  readonly snapshotsDir?: string;
  /** Public address, without a trailing slash. */
  readonly publicUrl: string;
  /** Signs cursors and sign-in challenges. */
  readonly cursorSecret: string;
  /** Keeps what is secret in the settings out of answers. */
  readonly redact?: Redact;
  /** Folder in which large answers are made whole before they are sold. */
  readonly spoolDir: string;
  readonly nowMs?: () => number;
  readonly log?: (entry: RequestLog) => void;
  /** Answers a minute to one caller that need not be paid for; 0 is no limit. */
  readonly unbilledPerMinute?: number;
  /** Proxies in front of the server, which name the caller in X-Forwarded-For. */
  readonly proxies?: number;
  /** Time for a handler to make its answer, in milliseconds; a slow route has four times as much. */
  readonly answerMs?: number;
  /** Check every answer against its route's schema before it is sent. For tests. */
  readonly checkReplies?: boolean;
}

export interface App {
  readonly koa: Koa;
  readonly routes: readonly Route[];
  readonly payments: PaymentLayer;
  /** How the server does. */
  readonly health: () => Promise<Health>;
}

interface State {
  requestId: string;
  reason?: Reason;
  route?: Route;
  asked?: Asked<Params>;
  snapshotId?: string;
  /** What the handler is doing, which may outlast the request. */
  running?: Promise<unknown>;
}

const stateOf = (ctx: Context): State => ctx.state as State;

function sendProblem(ctx: Context, reason: Reason, detail: string, billed: false | null, extras: Extras = {}): void {
  const state = stateOf(ctx);
  state.reason = reason;
  ctx.status = PROBLEMS[reason].status;
  ctx.body = `${JSON.stringify(documentOf(reason, detail, billed, state.requestId, extras))}\n`;
  ctx.type = 'application/problem+json';
  // What was said of the answer that is not sent.
  for (const name of ['ETag', 'Repr-Digest', 'Content-Disposition', 'Delivery']) ctx.remove(name);
  ctx.set('Cache-Control', 'no-store');
}

/** Offer a file to keep. The payment layer takes it over. Its length and digest let a buyer see that it came whole. */
function attach(ctx: Context, { file, name }: Attachment): void {
  ctx.body = file;
  ctx.status = 200;
  ctx.type = 'text/csv; charset=utf-8; header=present';
  ctx.set({ 'Repr-Digest': reprDigest(file.sha256), 'Content-Disposition': `attachment; filename="${name}"` });
}

/** Everything thrown below becomes a problem document; what nobody foresaw becomes one that says nothing of itself. */
const errors =
  (log: (error: unknown, ctx: Context) => void): Middleware =>
  async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (error instanceof Problem) {
        ctx.set({ ...error.headers });
        sendProblem(ctx, error.reason, error.message, false, error.extras);
        return;
      }
      log(error, ctx);
      if (ctx.state['settlement'] === undefined)
        sendProblem(ctx, 'internal_error', 'Something went wrong on our side. Nothing was charged.', false);
      else
        sendProblem(
          ctx,
          'internal_error',
          'Something went wrong on our side after the payment was settled. The wallet that paid can collect the answer.',
          null,
        );
    }
  };

export function createApp(deps: AppDeps): App {
  const {
    snapshots,
    payments,
    publicUrl,
    nowMs = Date.now,
    log = () => undefined,
    answerMs = ANSWER_MS,
    unbilledPerMinute = 0,
    proxies = 0,
    redact = redactor([]),
  } = deps;
  if (deps.sandboxBuyer && payments.mode !== 'sandbox')
    throw new Error('a test purchase is offered only where the money is test money');
  const cursors = cursorsOf(deps.cursorSecret);

  const routes = allRoutes({
    publicUrl,
    spoolDir: deps.spoolDir,
    ...(payments.notice === undefined ? {} : { paymentNotice: payments.notice }),
  });

  /** What a buyer needs to know to pay, in every 402. */
  const howToPay = (route: Route): Extras => ({
    price: `$${route.price}`,
    protocol: 'x402 version 2',
    network: NETWORK,
    asset: USDC,
    pay_to: payments.payTo,
    how_to_pay:
      'Sign what the PAYMENT-REQUIRED header asks for and send the call again with it in PAYMENT-SIGNATURE; @x402/fetch does both. You are charged only when the answer is 200.' +
      (Number(route.price) > 1
        ? ' @x402/fetch stops at $1 a payment unless its spendControls.maxAmountPerPayment is raised.'
        : ''),
    ...(payments.notice === undefined ? {} : { notice: payments.notice }),
  });
  const { ledger, signatures } = payments;
  const layer = paymentLayer({
    facilitator: payments.facilitator,
    chain: payments.chain,
    contractWallets: payments.contractWallets,
    wait: payments.wait,
    ledger,
    signatures,
    publicUrl,
    nowMs,
    routes: paymentRoutes(routes, payments.payTo),
    editionOf: (ctx) => stateOf(ctx).asked?.snapshot.id ?? '',
    collectUrl: (idOrNonce) => purchaseUrl(publicUrl, idOrNonce),
    refuse(ctx, { reason, detail, billed, status, paymentError, transaction, collect }: Refusal) {
      const { route } = stateOf(ctx);
      sendProblem(ctx, reason, detail, billed, {
        ...(paymentError === undefined ? {} : { payment_error: paymentError }),
        ...(transaction === undefined ? {} : { transaction }),
        ...(collect === undefined ? {} : { collect }),
        ...(status === 402 && route ? howToPay(route) : {}),
      });
    },
  });

  const claims = claimsOf(ledger, nowMs);
  const timeFor = (route: Route): number => answerMs * (route.slow === true ? SLOW_TIMES : 1);

  /** Parameters are read and a snapshot is held for the request, before anything is asked for. */
  const prepare =
    (route: Route): Middleware =>
    async (ctx, next) => {
      const state = stateOf(ctx);
      state.route = route;
      const params = readParams(route.params, ctx.querystring);
      const lease = snapshots.acquire();
      if (!lease)
        throw new Problem(
          'snapshot_unavailable',
          'There are no data to serve yet. Nothing was charged.',
          {},
          { 'Retry-After': '30' },
        );
      try {
        const { snapshot } = lease;
        state.snapshotId = snapshot.id;
        state.asked = {
          params,
          path: ctx['params'] as Record<string, string>,
          snapshot,
          manifest: snapshot.manifest,
          today: todayOf(snapshot.manifest, nowMs()),
          cursors,
          claims,
        };
        await route.check?.(state.asked);
        await next();
      } finally {
        // A handler that was given up still reads the snapshot.
        if (state.running) void state.running.then(lease.release, lease.release);
        else lease.release();
      }
    };
  const answer =
    (route: Route): Middleware =>
    async (ctx) => {
      const { asked } = stateOf(ctx);
      if (!asked) throw new Error(`${route.path} was reached without its parameters`);
      if (route.price === null) {
        ctx.status = 200;
        ctx.set('Cache-Control', route.state ? 'public, no-cache' : `public, max-age=${FREE_SECONDS}`);
        const more = await route.state?.(asked);
        // Everything a free answer follows from. Weak, as it is the same compressed or not.
        ctx.set(
          'ETag',
          `W/"${hashOf([asked.snapshot.id, asked.today, edition, more, route.path, Object.entries(asked.params).sort(([a], [b]) => (a < b ? -1 : 1))])}"`,
        );
        if (ctx.fresh) {
          ctx.status = 304;
          return;
        }
      }
      const claimant = ctx.state['claimant'] as Claimant | undefined;
      const running = route.handle(claimant ? { ...asked, claimant } : asked);
      stateOf(ctx).running = running;
      const body = await within(timeFor(route), running, (late) => {
        if (route.media !== undefined) void (late as Attachment).file.close();
      });
      ctx.set('X-Snapshot-Id', asked.snapshot.id);
      if (route.media !== undefined) {
        attach(ctx, body as Attachment);
        return;
      }
      if (deps.checkReplies) route.reply.parse(plainOf(body));
      ctx.body = body instanceof JsonText ? body.bytes : JSON.stringify(body);
      ctx.type = 'application/json';
    };

  /** The free answer to the route's own template, in front of the priced one. */
  const template = (route: Route): Middleware[] => {
    const free = templateRoute(route);
    return free
      ? [
          (ctx, next) =>
            isTemplate(ctx['params'] as Record<string, string>)
              ? prepare(free)(ctx, () => answer(free)(ctx, next))
              : next(),
        ]
      : [];
  };

  const documents = documentsOf({
    routes,
    publicUrl,
    payTo: payments.payTo,
    ...(payments.notice === undefined ? {} : { notice: payments.notice }),
  });
  /** Changes with the interface, so that what was kept from an older one is asked for again. */
  const edition = hashOf(documents.map((d) => d.text));
  const router = new Router({ sensitive: true });
  for (const route of routes) {
    router.get(
      route.path,
      ...template(route),
      prepare(route),
      ...(route.price === null
        ? []
        : [
            layer.charge({
              routeKey: routeKey(route),
              leaseMs: timeFor(route) + LEASE_MARGIN_MS,
              isExclusive: route.isExclusive === true,
            }),
          ]),
      answer(route),
    );
  }
  for (const document of documents) {
    router.get(document.path, (ctx) => {
      ctx.status = 200;
      ctx.set({ 'Cache-Control': `public, max-age=${FREE_SECONDS}`, ETag: `W/"${edition}"` });
      if (ctx.fresh) {
        ctx.status = 304;
        return;
      }
      ctx.body = document.text;
      ctx.type = document.type;
    });
  }
  mountPurchases(router, {
    collecting: collecting({ ledger, signatures, publicUrl, secret: deps.cursorSecret, nowMs }),
    layer,
    publicUrl,
  });
  const healthNow = healthOf({
    snapshots,
    payments: { mode: payments.mode, ready: layer.ready, health: payments.health ?? (async () => NO_NEWS) },
    nowMs,
  });
  const health = async (): Promise<Health> => redacted(await healthNow(), redact);
  router.get('/health', async (ctx) => {
    const now = await health();
    ctx.status = now.status === 'unavailable' ? 503 : 200;
    ctx.body = now;
    ctx.set('Cache-Control', 'no-store');
  });
  const site = mountSite(router, {
    routes,
    publicUrl,
    payTo: payments.payTo,
    snapshots,
    cursors,
    claims,
    health,
    nowMs,
    notice: payments.notice ?? '',
    purchase: deps.sandboxBuyer !== undefined,
    ...(deps.snapshotsDir === undefined ? {} : { snapshotsDir: deps.snapshotsDir }),
  });
  if (deps.sandboxBuyer) mountPurchase(router, site, { routes, snapshots, buyer: deps.sandboxBuyer });

  const koa = new Koa(proxies > 0 ? { proxy: true, maxIpsCount: proxies } : {});
  koa.silent = true;
  koa.use(async (ctx, next) => {
    const started = performance.now();
    const state = stateOf(ctx);
    state.requestId = randomUUID();
    ctx.set('X-Request-Id', state.requestId);
    await next();
    const settlement = ctx.state['settlement'] as { payer: string; transaction: string; receiptId: string } | undefined;
    log({
      request_id: state.requestId,
      method: ctx.method,
      path: ctx.path,
      query: ctx.querystring,
      ...(state.route ? { route: state.route.path } : {}),
      status: ctx.status,
      ms: Math.round(performance.now() - started),
      ...(state.snapshotId === undefined ? {} : { snapshot_id: state.snapshotId }),
      ...(state.reason === undefined ? {} : { reason: state.reason }),
      ...(settlement
        ? {
            charged: state.route?.price ?? '',
            transaction: settlement.transaction,
            payer: settlement.payer,
            receipt_id: settlement.receiptId,
          }
        : {}),
      ...(ctx.state['error'] === undefined ? {} : { error: ctx.state['error'] as unknown }),
      ...(ctx.state['unresolved'] === undefined
        ? {}
        : { unresolved: ctx.state['unresolved'] as Record<string, string> }),
    });
  });
  const answerErrors = errors((error, ctx) => {
    ctx.state['error'] = error;
  });
  // Once more outside: what is thrown while an answer is compressed, redacted or made a page of is logged too.
  koa.use(answerErrors);
  koa.use(crossOrigin());
  koa.use(compression());
  koa.use(refusalPages(site, snapshots, deps.sandboxBuyer !== undefined));
  koa.use(redacting(redact));
  koa.use(answerErrors);
  if (unbilledPerMinute > 0) {
    const limit = unbilledLimit(unbilledPerMinute);
    // Whoever watches over the server must be able to ask how it does.
    koa.use((ctx, next) => (ctx.path === '/health' ? next() : limit(ctx, next)));
  }
  koa.use(oneHost());
  koa.use(async (ctx, next) => {
    if (ctx.originalUrl.length > LONGEST_URL)
      throw new Problem(
        'uri_too_long',
        `The path and query are ${ctx.originalUrl.length} characters long; at most ${LONGEST_URL} are read.`,
      );
    await next();
    // Koa leaves 404 where no route matched and nothing was written.
    if (ctx.status === 404 && stateOf(ctx).reason === undefined)
      throw new Problem('not_found', `There is no ${ctx.path} here. GET /api/meta lists what there is.`, {
        see: `${publicUrl}/api/meta`,
      });
  });
  koa.use(router.routes());
  koa.use(
    router.allowedMethods({
      throw: true,
      methodNotAllowed: () =>
        new Problem('method_not_allowed', 'Only GET and HEAD are answered here.', {}, { Allow: 'GET, HEAD' }),
      notImplemented: () =>
        new Problem('method_not_allowed', 'Only GET and HEAD are answered here.', {}, { Allow: 'GET, HEAD' }),
    }),
  );
  return { koa, routes, payments: layer, health };
}
