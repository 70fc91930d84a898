/**
 * /report/pages/{sha256}: an archived page that the free example report cites, as text, and its bytes to download. No
 * other page of the archive can be reached here, none with other properties, and none of a source whose terms do not
 * allow it.
 */
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import { SettingError } from '../../../lib/settings.ts';
import { StoreUnavailable } from '../../../lib/store/store.ts';
import { todayOf } from '../../../models/manifest.ts';
import { Problem } from '../../http/problem.ts';
import { stateOf } from '../../http/request_state.ts';
import type { Cursors } from '../../routes/list/page.ts';
import type { Route } from '../../routes/define.ts';
import type { Claims } from '../../routes/leads/lead_claims.ts';
import { EXAMPLE_PATH } from '../../routes/report/report.ts';
import type { Snapshot } from '../../serving/open.ts';
import type { Snapshots } from '../../serving/follow.ts';
import { freeRequest } from '../page.ts';
import type { ReportBody } from '../../routes/report/report.ts';
import { SITE_HEADERS, type Site } from '../site.ts';
import { ArchiveFault, type PageArchive } from './page_archive.ts';
import {
  readArchivedPage,
  type ArchivedPage,
  archivedContent,
  ARCHIVE_PATH,
  citedPages,
  type CitedPage,
} from './content.ts';

/** Number of pages whose text is cached. */
const MAX_CACHED = 16;
const MAX_AGE_SECONDS = 60;

/** Makes a browser download the bytes and never render them. */
const BYTES_HEADERS = {
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

export interface ArchiveDeps {
  readonly archive: PageArchive;
  readonly publicUrl: string;
  readonly routes: readonly Route[];
  readonly snapshots: Snapshots;
  readonly cursors: Cursors;
  readonly claims: Claims;
  readonly nowMs: () => number;
}

/** The free example report of a snapshot. @throws Problem if there is none */
async function exampleReport({ routes, cursors, claims, nowMs }: ArchiveDeps, snapshot: Snapshot): Promise<ReportBody> {
  const route = routes.find(({ path }) => path === EXAMPLE_PATH);
  if (!route) throw new Error(`there is no route ${EXAMPLE_PATH}`);
  const today = todayOf(snapshot.manifest, nowMs());
  return (await route.handle(freeRequest(snapshot, { today, cursors, claims }))) as ReportBody;
}

/** @throws Problem with a text for readers; the cause is logged */
async function rethrowAsProblem<T>(ctx: Context, read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    const isUnavailable = error instanceof StoreUnavailable || error instanceof SettingError;
    if (!isUnavailable && !(error instanceof ArchiveFault)) throw error;
    const cause = isUnavailable ? error : error.cause;
    if (cause !== undefined) stateOf(ctx).error = cause;
    if (!isUnavailable) throw new Problem(error.kind === 'damaged' ? 'internal_error' : 'not_found', error.message);
    const message = 'The store of this server, which has the archived pages, is unavailable. Try again in a minute.';
    throw new Problem('snapshot_unavailable', message, {}, { 'Retry-After': '60' });
  }
}

/** The cited page with this hash. @throws Problem not_found */
function citedPage(report: ReportBody, snapshot: Snapshot, sha256: string): CitedPage {
  const pages = citedPages(report, snapshot).filter((page) => page.sha256 === sha256);
  const shown = pages.find((page) => page.shownUnder !== null);
  if (shown) return shown;
  const [hidden] = pages;
  throw new Problem(
    'not_found',
    hidden
      ? `This archived page of ${hidden.title} is not shown: ${hidden.hiddenBecause}. See ${hidden.address}`
      : 'The example report cites no archived page with this SHA-256. Other pages of the archive are not public.',
  );
}

export function mountArchive(router: Router, site: Site, deps: ArchiveDeps): void {
  const { archive, publicUrl, snapshots } = deps;
  const cache = new LRUCache<string, Promise<ArchivedPage>>({ max: MAX_CACHED });
  const read = (cited: CitedPage): Promise<ArchivedPage> => {
    const key = `${cited.source} ${cited.sha256}`;
    const known = cache.get(key);
    if (known) return known;
    const page = readArchivedPage(archive, cited);
    cache.set(key, page);
    page.catch(() => cache.delete(key));
    return page;
  };
  /** Run `send` with a page that may be shown. */
  const withPage = async (
    ctx: Context,
    send: (page: CitedPage, snapshot: Snapshot) => Promise<void>,
  ): Promise<void> => {
    const lease = snapshots.acquire();
    if (!lease)
      throw new Problem('snapshot_unavailable', 'There is no snapshot to serve.', {}, { 'Retry-After': '30' });
    try {
      const { snapshot } = lease;
      const sha256 = String((ctx['params'] as Record<string, string>)['sha256']);
      const page = citedPage(await exampleReport(deps, snapshot), snapshot, sha256);
      await send(page, snapshot);
    } finally {
      lease.release();
    }
  };
  const cacheFor = (ctx: Context): void => {
    ctx.status = 200;
    ctx.set('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`);
  };

  router.get(`${ARCHIVE_PATH}/:sha256`, (ctx) =>
    withPage(ctx, async (cited, snapshot) => {
      const archived = await rethrowAsProblem(ctx, read(cited));
      cacheFor(ctx);
      ctx.set({ ...SITE_HEADERS });
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = site.frame(
        {
          path: '',
          title: 'Archived page',
          about: `An archived page of ${cited.title}, as the example report cites it.`,
        },
        archivedContent(cited, archived, publicUrl),
        snapshot,
      );
    }),
  );
  router.get(`${ARCHIVE_PATH}/:sha256/bytes`, (ctx) =>
    withPage(ctx, async ({ sha256 }) => {
      const bytes = await rethrowAsProblem(ctx, archive.bytes(sha256));
      cacheFor(ctx);
      ctx.set({ ...BYTES_HEADERS, 'Content-Disposition': `attachment; filename="${sha256}"` });
      ctx.type = 'application/octet-stream';
      ctx.body = Buffer.from(bytes);
    }),
  );
}
