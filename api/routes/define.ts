/**
 * One definition per endpoint. The router entry, the validation of parameters, the x402 configuration, the line in
 * /api/meta and the OpenAPI operation are derived from it.
 */
import type { z } from 'zod';
import type { Holds } from './leads/lead_holds.ts';
import type { Cursors } from './list/page.ts';
import type { ServedManifest } from '../../models/manifest.ts';
import type { Params, ParamValues } from './params.ts';
import { EXCLUSIVE_SECONDS, PAYMENT_SECONDS } from '../../lib/network.ts';
import type { OpenPurchase } from '../payments/sale.ts';
import type { Price } from '../../lib/prices.ts';
import type { Extras, Reason } from '../http/problem.ts';
import type { Snapshot } from '../serving/open.ts';

/** Input of a handler: one snapshot for the whole request, and the data clock. */
export interface RouteRequest<P extends Params> {
  readonly params: ParamValues<P>;
  /** Values of the path's `:name` parameters. */
  readonly path: Readonly<Record<string, string>>;
  readonly snapshot: Snapshot;
  readonly manifest: ServedManifest;
  /** The data clock, YYYY-MM-DD: past, upcoming and recent are relative to this day. */
  readonly today: string;
  readonly cursors: Cursors;
  /** Leads that may not be offered now. */
  readonly holds: Holds;
  /** Holds a lead for this purchase; only in the handler of a paid request. */
  readonly openPurchase?: OpenPurchase;
}

/** What must still be true of a sold record. */
export type Promised = 'debt_open' | 'sale_scheduled' | 'listing_active';

/** A response that is a file to save. */
export interface Attachment {
  readonly content: Buffer;
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The free response of a priced route to its own path template, such as /api/deals/{id}/report. */
export interface Template {
  readonly about: string;
  /** Schema of the body. */
  readonly response: z.ZodType;
  /** As RouteDefinition.stateKey. */
  stateKey?(request: RouteRequest<Params>): Promise<string>;
  handle(request: RouteRequest<Params>): Promise<unknown>;
}

export interface RouteDefinition<P extends Params = Params, R extends z.ZodType = z.ZodType> {
  /** Operation id in OpenAPI, and name of the MCP tool. */
  readonly name: string;
  /** Path in router syntax; a parameter is `:name`. */
  readonly path: string;
  /** Dollars per request; null is free. */
  readonly price: Price | null;
  readonly about: string;
  readonly params: P;
  /** Schemas of the path's `:name` parameters. `check` reads them. */
  readonly pathParams?: Params;
  /** Error reasons that only this route has. */
  readonly reasons?: readonly Reason[];
  readonly template?: Template;
  /** Schema of the 200 body. */
  readonly response: R;
  /** Schema of its 404, if it has fields of its own. */
  readonly miss?: z.ZodType;
  /** Media type; default JSON. A CSV file is an Attachment, and a feed is text. */
  readonly media?: 'text/csv' | 'application/feed+json' | 'application/atom+xml';
  /** Columns of the same response as CSV, for a request that prefers it. Only of lists. */
  csvColumns?(params: ParamValues<P>): readonly string[];
  /** Whether each item is sold once, to one buyer. */
  readonly isExclusive?: boolean;
  /** What must still be true of each sold record: otherwise the price is due back. Default: nothing. */
  readonly guarantees?: readonly Promised[];
  /** Whether the handler may take much longer than a query. */
  readonly isSlow?: boolean;
  /** How many questions a request asks; an unpaid response to it counts as so many. Default: 1. */
  questions?(params: ParamValues<P>): number;
  /** State that a free response depends on besides snapshot, day and parameters. Caches then revalidate every time. */
  stateKey?(request: RouteRequest<P>): Promise<string>;
  /** Check the parameters together, before a payment is required. @throws Problem */
  check?(request: RouteRequest<P>): void | Promise<void>;
  /** What the call would return, as fields of its 402. It shows nothing that free calls do not show. */
  offer?(request: RouteRequest<P>): Extras | Promise<Extras>;
  /**
   * The body. Runs after the payment is verified and before it is settled.
   * @throws Problem
   */
  handle(request: RouteRequest<P>): Promise<unknown>;
}

/** A route with any parameters. */
export type Route = RouteDefinition;

export const defineRoute = <const P extends Params, R extends z.ZodType>(definition: RouteDefinition<P, R>): Route =>
  definition;

/** The free route for the template of `route`, if it has one. */
export const templateRoute = ({ name, path, template }: Route): Route | undefined =>
  template && { name: `${name}_template`, path, price: null, params: {}, ...template };

/** Whether every path parameter is its own name in braces, as in /api/deals/{id}/report. */
export const isTemplate = (path: Readonly<Record<string, string>>): boolean =>
  Object.entries(path).every(([name, value]) => value === `{${name}}`);

/** Path in OpenAPI syntax: "/api/deals/{id}/report". */
export const templateOf = (route: Pick<Route, 'path'>): string => route.path.replaceAll(/:(\w+)/g, '{$1}');

/** Key of a route in the x402 configuration: "GET /api/deals". */
export const routeKey = (route: Pick<Route, 'path'>): string => `GET ${route.path}`;

/** Whether the body is JSON. */
export const isJson = ({ media }: Pick<Route, 'media'>): boolean => media?.endsWith('json') !== false;

export const mediaOf = (route: Pick<Route, 'media'>): string => route.media ?? 'application/json';

/** Seconds for which a payment for this route must be valid. */
export const paymentSecondsOf = (route: Pick<Route, 'isExclusive'>): number =>
  route.isExclusive === true ? EXCLUSIVE_SECONDS : PAYMENT_SECONDS;
