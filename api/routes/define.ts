/**
 * One definition per endpoint. From it follow the router entry, the validation of its parameters, its x402 route
 * configuration, its line in `/api/meta` and its part of the interface description.
 */
import type { RouteConfig } from '@x402/core/server';
import type { z } from 'zod';
import type { Claims } from './lead_claims.ts';
import type { Cursors } from './cursor.ts';
import { extensionsOf } from '../docs/x402_extensions.ts';
import type { ServedManifest } from '../../models/manifest.ts';
import type { Params, ParamValues } from './params.ts';
import { EXCLUSIVE_SECONDS, NETWORK, PAYMENT_SECONDS } from '../../lib/network.ts';
import type { Claimant } from '../payments/sale.ts';
import type { SpooledFile } from '../payments/spooled_answer.ts';
import type { Price } from './prices.ts';
import type { Reason } from '../http/problem.ts';
import type { Snapshot } from '../snapshot/load.ts';

/** What a handler is given: one snapshot for the whole request, and the data clock. */
export interface Asked<P extends Params> {
  readonly params: ParamValues<P>;
  /** Values of the path's `:names`. */
  readonly path: Readonly<Record<string, string>>;
  readonly snapshot: Snapshot;
  readonly manifest: ServedManifest;
  /** The data clock: the day for which past, upcoming and recent are told, YYYY-MM-DD. */
  readonly today: string;
  readonly cursors: Cursors;
  /** Leads that may not be offered now. */
  readonly claims: Claims;
  /** What the handler of a paid request may claim, for this purchase alone. */
  readonly claimant?: Claimant;
}

/** An answer that is a file to keep. */
export interface Attachment {
  readonly file: SpooledFile;
  readonly name: string;
}

/** The free answer of a priced route to its own path as the interface writes it, parameters in braces. */
export interface Template {
  readonly about: string;
  /** Body of the answer. */
  readonly reply: z.ZodType;
  handle(asked: Asked<Params>): Promise<unknown>;
}

export interface RouteDefinition<P extends Params = Params, R extends z.ZodType = z.ZodType> {
  /** Path as the router writes it; a parameter is `:name`. */
  readonly path: string;
  /** Dollars per call; null is free. */
  readonly price: Price | null;
  readonly about: string;
  readonly params: P;
  /** What the path's `:names` accept. `check` reads them. */
  readonly pathParams?: Params;
  /** Reasons of refusals that only this route has. */
  readonly reasons?: readonly Reason[];
  readonly template?: Template;
  /** Body of the 200 answer. */
  readonly reply: R;
  /** Its media type; JSON where nothing is said. */
  readonly media?: 'text/csv';
  /** Whether it sells something once, to one buyer. */
  readonly isExclusive?: boolean;
  /** Whether making the answer may take much longer than a query does. */
  readonly slow?: boolean;
  /** Names what else the answer of a free route follows from than the snapshot, the day and its parameters. Such an answer is not kept without asking. */
  state?(asked: Asked<P>): Promise<string>;
  /** Refuse, by throwing a Problem, what the parameters one by one do not show. It runs before the call is priced. */
  check?(asked: Asked<P>): void | Promise<void>;
  /** The body (of the form of `reply`; an Attachment where `media` is not JSON), or a thrown Problem. It runs after the payment was verified and before it is settled. */
  handle(asked: Asked<P>): Promise<unknown>;
}

/** A route of any parameters, as the app keeps it. */
export type Route = RouteDefinition;

export const defineRoute = <const P extends Params, R extends z.ZodType>(definition: RouteDefinition<P, R>): Route =>
  definition;

/** The route that answers the template of `route`, where it has one. */
export const templateRoute = ({ path, template }: Route): Route | undefined =>
  template && { path, price: null, params: {}, ...template };

/** Whether every path parameter was asked for by its own name in braces, as in /api/deals/{id}/report. */
export const isTemplate = (path: Readonly<Record<string, string>>): boolean =>
  Object.entries(path).every(([name, value]) => value === `{${name}}`);

/** Path as the interface writes it: "/api/deals/{id}/report". */
export const templateOf = (route: Pick<Route, 'path'>): string => route.path.replaceAll(/:(\w+)/g, '{$1}');

/** Name of a route in x402 configuration: "GET /api/deals". */
export const routeKey = (route: Pick<Route, 'path'>): string => `GET ${route.path}`;

export const mediaOf = (route: Pick<Route, 'media'>): string => route.media ?? 'application/json';

/** Seconds a payment for this route must stay valid. */
export const paymentSecondsOf = (route: Pick<Route, 'isExclusive'>): number =>
  route.isExclusive === true ? EXCLUSIVE_SECONDS : PAYMENT_SECONDS;

/** x402 configuration of the priced routes, as the official middleware takes it. */
export function paymentRoutes(routes: readonly Route[], payTo: string): Record<string, RouteConfig> {
  return Object.fromEntries(
    routes
      .filter((r) => r.price !== null)
      .map((r) => [
        routeKey(r),
        {
          accepts: {
            scheme: 'exact',
            network: NETWORK,
            payTo,
            price: `$${r.price}`,
            maxTimeoutSeconds: paymentSecondsOf(r),
          },
          description: r.about,
          mimeType: mediaOf(r),
          serviceName: 'Dealfeed',
          extensions: extensionsOf(r),
        } satisfies RouteConfig,
      ]),
  );
}
