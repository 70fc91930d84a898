/** Data folders with one and two published days, from which tests go on. The code under test makes each once. */
import { cpSync } from 'node:fs';
import { layoutOf, type Layout } from '../../pipelines/layout.ts';
import { currentAssumptions } from '../../models/assumptions.ts';
import { readManifest } from '../../pipelines/snapshots.ts';
import type { SoldLeads } from '../../pipelines/sold_leads.ts';
import type { Manifest } from '../../models/manifest.ts';
import type { World } from '../../sandbox/world/types.ts';
import { makeWorld, worldOn, type WorldDay } from '../../sandbox/world/world.ts';
import { sharedFolder } from '../shared_folder.ts';
import { copyOf, published, runDay, TINY } from './runs.ts';

export const FIRST_DAY = '2026-11-20';
export const BAD_DAY = '2026-11-21';
export const SECOND_DAY = '2026-11-23';
export const FIRST_RUN = `${FIRST_DAY}.01`;
export const BAD_RUN = `${BAD_DAY}.01`;
export const SECOND_RUN = `${SECOND_DAY}.01`;

export interface StartingPoint {
  /** A copy of its own, which the test may change. */
  readonly layout: Layout;
  readonly world: World;
}

const world = makeWorld(TINY);

/** Every source and every table of the tiny world on the first day, the site that needs a browser included. */
const firstDay = sharedFolder('first_day', async (folder) => {
  await runDay({ layout: layoutOf(folder), world, day: FIRST_DAY, browser: true });
});

/** Site that is down on the bad day. */
const DOWN = 'gis.cuyahogacounty.us';

/** The site that is down, that of the failed page, and one of each other kind of page. */
const AROUND_BAD_DAY = [
  'oh_cuyahoga_tax',
  'heartland_multifamily',
  'reso_sandbox_mls',
  'oh_stark_tax',
  'oh_cuyahoga_sheriff',
  'oh_stark_sheriff_page',
  'colorado_sos',
  'ohio_sos',
  'hud_fmr',
];

/** Tables of the bad day and of the day before. Those that they are made of are filled, too. */
export const BAD_DAY_TABLES = ['assumptions', 'filings', 'leads', 'rejects', 'sources'];

/** Leads of the first day, and properties, that are sold on the bad day. */
async function soldOnBadDay(layout: Layout): Promise<SoldLeads> {
  const leads = (await published(layout, FIRST_RUN, 'leads', 'ORDER BY id')).map(({ id }) => String(id));
  const keys = await published(layout, FIRST_RUN, 'property_keys', 'ORDER BY property_key LIMIT 1');
  return { leads: leads.slice(0, 2), properties: keys.map((row) => String(row['property_key'])) };
}

/**
 * A first day and one on which a listing's page fails, a site is down, leads are sold, and another assumption is in
 * force; both of some sources and tables.
 */
const badDay = sharedFolder('bad_day', async (folder) => {
  const layout = layoutOf(folder);
  const only = AROUND_BAD_DAY;
  const days = { layout, world, only, tables: BAD_DAY_TABLES };
  await runDay({ ...days, day: FIRST_DAY });
  const shown = "WHERE source = 'heartland_multifamily' AND is_latest AND gone_on IS NULL ORDER BY listing_id";
  const [listing] = await published(layout, FIRST_RUN, 'listing_history', shown);
  const failed = new URL(String(listing?.['listing_url'])).pathname;
  const sold = await soldOnBadDay(layout);
  await runDay({
    ...days,
    day: BAD_DAY,
    assumptions: currentAssumptions(new Map([['vacancy', '0.10']])),
    soldLeads: () => Promise.resolve(sold),
    alter: ({ host, path }, response) => {
      if (path === failed) return { ...response, status: 500 };
      return host === DOWN && path !== '/robots.txt' ? { ...response, status: 403 } : undefined;
    },
  });
});

/** The second day upon the first. */
const secondDay = sharedFolder('second_day', async (folder) => {
  cpSync(await firstDay(), folder, { recursive: true, verbatimSymlinks: true });
  await runDay({ layout: layoutOf(folder), world, day: SECOND_DAY });
});

const goOnFrom = async (folder: string): Promise<StartingPoint> => ({ layout: await copyOf(layoutOf(folder)), world });

/** A folder in which FIRST_RUN is published. */
export const afterFirstDay = async (): Promise<StartingPoint> => goOnFrom(await firstDay());

/** A folder in which FIRST_RUN and BAD_RUN are published, with some sources and BAD_DAY_TABLES. */
export const afterBadDay = async (): Promise<StartingPoint> => goOnFrom(await badDay());

/** A folder in which FIRST_RUN and SECOND_RUN are published. */
export const afterSecondDay = async (): Promise<StartingPoint> => goOnFrom(await secondDay());

/** What a run of a starting point published, and the truth of its day. */
export async function publishedRun(
  { layout }: StartingPoint,
  runId: string,
): Promise<{ readonly runId: string; readonly manifest: Manifest; readonly truth: WorldDay }> {
  const manifest = await readManifest(layout, runId);
  return { runId, manifest, truth: worldOn(world, manifest.as_of) };
}
