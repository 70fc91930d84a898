/**
 * /report/pages/{sha256}: an archived page that the free example report cites, as text, and its bytes to download. No
 * other page of the archive can be reached here, none with other properties, and none of a source whose terms do not
 * allow it.
 */
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import { ArchiveDamage } from '../../../lib/archive.ts';
import { SettingError } from '../../../lib/settings.ts';
import { StoreDamage, StoreUnavailable } from '../../../lib/store/store.ts';
import { todayOf } from '../../../models/manifest.ts';
import { Problem } from '../../http/problem.ts';
import { stateOf } from '../../http/request_state.ts';
import { EXAMPLE_PATH, type ReportBody } from '../../routes/report.ts';
import type { Snapshot } from '../../serving/open.ts';
import { freeRequest } from '../page.ts';
import { SITE_HEADERS, type Site, type SiteDeps } from '../site.ts';
import type { ArchivedPage, ArchivedPages } from './archived_pages.ts';
import { ARCHIVE_PATH, archivedContent, citedPages, type CitedPage } from './cited_pages.ts';

const MAX_AGE_SECONDS = 60;

/** Makes a browser download the bytes and never render them. */
const BYTES_HEADERS = {
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The site's, and where the archived pages are read. */
type ArchiveDeps = SiteDeps & { readonly archive: ArchivedPages };

/** The page with this hash that the free example report of a snapshot cites. @throws Problem not_found */
async function citedPage(deps: ArchiveDeps, snapshot: Snapshot, sha256: string): Promise<CitedPage> {
  const route = deps.routes.find(({ path }) => path === EXAMPLE_PATH);
  if (!route) throw new Error(`there is no route ${EXAMPLE_PATH}`);
  const request = freeRequest(snapshot, { ...deps, today: todayOf(snapshot.manifest, deps.nowMs()) });
  const report = (await route.handle(request)) as ReportBody;
  const pages = citedPages(report, snapshot).filter((page) => page.sha256 === sha256);
  const [page] = pages.toSorted((a, b) => Number(a.shownUnder === null) - Number(b.shownUnder === null));
  if (page && page.shownUnder !== null) return page;
  throw new Problem(
    'not_found',
    page
      ? `This archived page of ${page.title} is not shown: ${page.hiddenBecause}. See ${page.address}`
      : 'The example report cites no archived page with this SHA-256. Other pages of the archive are not public.',
  );
}

/** @throws Problem with a text for readers; the cause is logged */
async function readFor(ctx: Context, archive: ArchivedPages, sha256: string): Promise<ArchivedPage> {
  try {
    return await archive.read(sha256);
  } catch (error) {
    if (error instanceof Problem) throw error;
    stateOf(ctx).error = error;
    if (error instanceof StoreDamage || error instanceof ArchiveDamage)
      throw new Problem('internal_error', 'The archived bytes no longer have this SHA-256, so they are not shown.');
    if (!(error instanceof StoreUnavailable || error instanceof SettingError)) throw error;
    const message = 'The store of this server, which has the archived pages, is unavailable. Try again in a minute.';
    throw new Problem('snapshot_unavailable', message, {}, { 'Retry-After': '60' });
  }
}

export function mountArchive(router: Router, site: Site, deps: ArchiveDeps): void {
  const { archive, publicUrl, snapshots } = deps;
  /** Send a page that may be shown. */
  const serve = (path: string, send: (ctx: Context, cited: CitedPage, page: ArchivedPage, of: Snapshot) => void) =>
    router.get(path, async (ctx) => {
      using lease = snapshots.acquire();
      if (!lease)
        throw new Problem('snapshot_unavailable', 'There is no snapshot to serve.', {}, { 'Retry-After': '30' });
      const cited = await citedPage(deps, lease.snapshot, String(ctx.params['sha256']));
      const page = await readFor(ctx, archive, cited.sha256);
      ctx.status = 200;
      ctx.set('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`);
      send(ctx, cited, page, lease.snapshot);
    });
  serve(`${ARCHIVE_PATH}/:sha256`, (ctx, cited, page, snapshot) => {
    const about = `An archived page of ${cited.title}, as the example report cites it.`;
    const content = archivedContent(cited, page, publicUrl);
    ctx.set({ ...SITE_HEADERS });
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = site.frame({ path: '', title: 'Archived page', about }, content, snapshot);
  });
  serve(`${ARCHIVE_PATH}/:sha256/bytes`, (ctx, { sha256 }, { bytes }) => {
    ctx.set({ ...BYTES_HEADERS, 'Content-Disposition': `attachment; filename="${sha256}"` });
    ctx.type = 'application/octet-stream';
    ctx.body = Buffer.from(bytes);
  });
}
