/** A page of the site, and its input. */
import type { z } from 'zod';
import type { Health } from '../http/health.ts';
import type { Network } from '../../lib/network.ts';
import type { RouteRequest, Route } from '../routes/define.ts';
import type { Meta } from '../routes/meta.ts';
import type { Snapshot } from '../serving/open.ts';
import type { Piece } from './html.ts';

/** Facts about the server, for the site. */
export interface SiteOptions {
  readonly routes: readonly Route[];
  readonly publicUrl: string;
  readonly payTo: string;
  /** Where payments are taken. */
  readonly network: Network;
  readonly health: () => Promise<Health>;
  /** Whether pages pay with the sandbox's test wallet, and with no other. */
  readonly hasTestWallet: boolean;
}

export interface PageContext {
  readonly site: SiteOptions;
  /** A request without parameters, as free routes get it. */
  readonly request: RouteRequest<Record<never, never>>;
  /** The body of /api/meta. */
  readonly meta: z.infer<typeof Meta>;
  /** The query of the request. Empty if the page is cached. */
  readonly query: URLSearchParams;
  /** Values of the parts of its path, such as :id. */
  readonly path: Readonly<Record<string, string>>;
}

export interface Page {
  readonly path: string;
  /** Name in the navigation, if the page is part of it. */
  readonly label?: string;
  readonly title: string;
  readonly about: string;
  /** snapshot: rendered once per snapshot and day. none: rendered for each request. */
  readonly cache: 'snapshot' | 'none';
  content(context: PageContext): Piece | Promise<Piece>;
  /** Title, description and path of a page whose path has a part such as :id. */
  headOf?(context: PageContext): Promise<Pick<Page, 'path' | 'title' | 'about'>>;
}

/** A request without parameters, for the free routes that pages show. */
export const freeRequest = (
  snapshot: Snapshot,
  { today, cursors, holds }: Pick<PageContext['request'], 'today' | 'cursors' | 'holds'>,
): PageContext['request'] => ({ params: {}, path: {}, snapshot, manifest: snapshot.manifest, today, cursors, holds });
