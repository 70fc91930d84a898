/** The loads of docs/capacity.md: the default world, larger ones, and more buyers. */
import { fleetFor, type Fleet, type Load, type Machine } from './capacity.ts';
import { leastMs, simulateCrawl, siteTimes } from './crawl.ts';
import { figureIn } from './figures.ts';
import { countiesOf, readsFor, worldReads, type Scale, type SourceRead } from './reads.ts';
import { cost, COUNTY_ROWS, UNIT_COSTS } from './unit_costs.ts';
import { tableOf } from './world.ts';

const HOUR_MS = 3_600_000;
const reads = await worldReads();
/** Counties of the default world. */
export const COUNTIES = countiesOf(reads).length;
const LISTINGS = tableOf('deals').rows;
const FILINGS = tableOf('filings').rows;

const OHIO_AND_COLORADO = { counties: 88 + 64, registers: 2 };
const REGISTER = 3_000_000;
export const ALL_ENTITIES = 70_000_000;
const ALL_COUNTIES = 3_000;

/** A hundred sales a day. */
export const FEW_CALLS = 100 / 86_400;

/** The machine that docs/deploying.md asks for. It is the measured one, with less memory. */
export const ONE_MACHINE: Machine = {
  cores: figureIn('docs/deploying.md', /need a domain name that points to the server, (\d+) CPUs/u),
  memoryGib: figureIn('docs/deploying.md', /CPUs, (\d+) GB of memory/u),
  diskGb: figureIn('docs/deploying.md', /GB of memory, (\d+) GB of disk/u),
};

/** All parts on that machine, with the settings as they are by default. */
export const ONE_FLEET: Fleet = {
  build: ONE_MACHINE,
  servers: 1,
  server: ONE_MACHINE,
  gasPerDay: cost('gasPerDay'),
  ledger: 'sqlite',
  hasStore: false,
};

export interface CrawlResult {
  readonly scale: Scale;
  readonly places: number;
  readonly reads: number;
  readonly requests: number;
  readonly sites: number;
  readonly hours: number;
  /** The analytic bound. */
  readonly leastHours: number;
  readonly busiest: string;
  readonly busiestHours: number;
}

/** Simulate a day on which every source is due. */
export function crawlOf(scale: Scale, places: number, from: readonly SourceRead[] = reads): CrawlResult {
  const all = readsFor(from, scale);
  const [busiest = '', busiestMs = 0] = siteTimes(all, cost('responseMs'))[0] ?? [];
  return {
    scale,
    places,
    reads: all.length,
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
    sites: new Set(all.map(({ site }) => site)).size,
    hours: simulateCrawl(all, places, cost('responseMs')).endedMs / HOUR_MS,
    leastHours: leastMs(all, places, cost('responseMs')) / HOUR_MS,
    busiest,
    busiestHours: busiestMs / HOUR_MS,
  };
}

export interface Step {
  readonly name: string;
  readonly load: Load;
  /** The same load with as many places as shorten the crawl to a day, or else as can shorten it. */
  readonly placedLoad: Load;
  readonly places: number;
  readonly fleet: Fleet;
}

interface Size {
  readonly counties?: number;
  readonly listings?: number;
  readonly propertyRows?: number;
  readonly entities?: number;
  readonly calls?: number;
}

/** Places, doubled from those of one worker, until the crawl fits a day or its busiest site is all that is left. */
function placesFor(scale: Scale): CrawlResult {
  let places: number = UNIT_COSTS.readsAtOnce.value;
  let result = crawlOf(scale, places);
  while (result.hours > 24 && result.hours > result.busiestHours && places < result.sites) {
    places *= 2;
    result = crawlOf(scale, places);
  }
  return result;
}

function step(
  name: string,
  { counties = COUNTIES, listings = 1, propertyRows, entities = FILINGS, calls = FEW_CALLS }: Size,
) {
  const scale: Scale = { counties, listings, sites: 'host' };
  const [one, many] = [crawlOf(scale, UNIT_COSTS.readsAtOnce.value), placesFor(scale)];
  const load: Load = {
    listings: listings * LISTINGS,
    propertyRows: propertyRows ?? COUNTY_ROWS.sandbox * (counties / COUNTIES),
    entities,
    paidCallsPerSecond: calls,
    crawlHours: one.hours,
    siteHours: one.busiestHours,
    keepDaily: cost('keepDaily'),
    keepReads: cost('keepReads'),
  };
  const placedLoad = { ...load, crawlHours: many.hours };
  return { name, load, placedLoad, places: many.places, fleet: fleetFor(load, ONE_MACHINE) };
}

const real = (counties: number): Size => ({ counties, propertyRows: (COUNTY_ROWS.real * counties) / COUNTIES });
const times = (n: number): Size => ({
  listings: n,
  propertyRows: COUNTY_ROWS.sandbox * n,
  entities: FILINGS * n,
});

export const STEPS: readonly [Step, ...Step[]] = [
  step('default world', {}),
  step('10×', times(10)),
  step('100×', times(100)),
  step('its sources at their real size', { ...real(COUNTIES), entities: REGISTER }),
  step('all of Ohio and Colorado', {
    ...real(OHIO_AND_COLORADO.counties),
    entities: OHIO_AND_COLORADO.registers * REGISTER,
  }),
  step('all 50 registers', { ...real(COUNTIES), entities: ALL_ENTITIES }),
  step('3,000 counties', { ...real(ALL_COUNTIES), entities: REGISTER }),
  step('3,000 counties, all registers, 100× the listings', {
    ...real(ALL_COUNTIES),
    entities: ALL_ENTITIES,
    listings: 100,
  }),
];

/** The default world with more buyers. */
export const CALL_STEPS: readonly Step[] = [1, 10, 100, 1000].map((calls) =>
  step(`${calls} paid call${calls === 1 ? '' : 's'} a second`, { calls }),
);

const scales = (counties: number): readonly Scale[] =>
  (['host', 'platform'] as const).map((sites) => ({ counties, listings: 1, sites }));

/** Crawls with one worker, with AT_ONCE=16 and with many workers. */
export const CRAWLS: readonly CrawlResult[] = [COUNTIES, OHIO_AND_COLORADO.counties, ALL_COUNTIES].flatMap((counties) =>
  scales(counties).flatMap((scale) => [4, 16, 256].map((places) => crawlOf(scale, places))),
);
