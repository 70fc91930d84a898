/** The loads of docs/capacity.md: the default world, larger ones, and more buyers. */
import { HOUR_MS } from '../../../lib/time.ts';
import { simulateCrawl, siteTimes } from './crawl.ts';
import { figureIn } from './figures.ts';
import { fleetFor, type Fleet, type Load, type Machine } from './needs.ts';
import { countiesOf, readsFor, worldReads, type Scale } from './reads.ts';
import { cost, COUNTY_ROWS } from './unit_costs.ts';
import { tableOf } from './world.ts';

const reads = await worldReads();
/** Counties of the default world. */
export const COUNTIES = countiesOf(reads).length;

const OHIO_AND_COLORADO = { counties: 88 + 64, registers: 2 };
const REGISTER = 3_000_000;
export const ALL_ENTITIES = 70_000_000;
export const ALL_COUNTIES = 3_000;
/** A hundred sales a day. */
export const FEW_SALES = 100;

/** The machine that docs/deploying.md asks for. It is the measured one, with less memory. */
export const ONE_MACHINE: Machine = {
  cores: figureIn('docs/deploying.md', /need a domain name that points to the server, (\d+) CPUs/u),
  memoryGib: figureIn('docs/deploying.md', /CPUs, (\d+) GB of memory/u),
  diskGb: figureIn('docs/deploying.md', /GB of memory, (\d+) GB of disk/u),
};

/** All parts on that machine, with the settings as they are by default. */
const ONE_FLEET: Omit<Fleet, 'crawlHours'> = {
  build: ONE_MACHINE,
  servers: 1,
  server: ONE_MACHINE,
  gasPerDay: cost('gasPerDay'),
  ledger: 'SQLite',
  hasStore: false,
};

/** A day on which every source is due. @returns with its hours by the number of sources that are read at once */
function crawlOf(scale: Scale) {
  const all = readsFor(reads, scale);
  const [busiest = '', busiestMs = 0] = siteTimes(all, cost('responseMs'))[0] ?? [];
  return {
    scale,
    sources: all.length,
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
    sites: new Set(all.map(({ site }) => site)).size,
    busiest,
    busiestHours: busiestMs / HOUR_MS,
    hoursWith: (places: number): number => simulateCrawl(all, places, cost('responseMs')).endedMs / HOUR_MS,
  };
}

/** Places, doubled from those of one worker, until the crawl fits a day or its busiest site is all that is left. */
function placesFor({ hoursWith, busiestHours, sites }: ReturnType<typeof crawlOf>) {
  let places = cost('readsAtOnce');
  let hours = hoursWith(places);
  while (hours > 24 && hours > busiestHours && places < sites) hours = hoursWith((places *= 2));
  return { places, hours };
}

export interface Step {
  readonly name: string;
  readonly load: Load;
  /** One machine with the default settings. */
  readonly one: Fleet;
  /** The fleet that is sized for the load, and the sources that it reads at once. */
  readonly fleet: Fleet;
  readonly places: number;
}

interface Size {
  readonly counties?: number;
  /** Times those of the default world. */
  readonly listings?: number;
  readonly propertyRows?: number;
  readonly entities?: number;
  readonly calls?: number;
}

function step(name: string, { counties = COUNTIES, listings = 1, ...size }: Size): Step {
  const crawl = crawlOf({ counties, listings, sites: 'host' });
  const load: Load = {
    listings: listings * tableOf('deals').rows,
    propertyRows: size.propertyRows ?? COUNTY_ROWS.sandbox,
    entities: size.entities ?? tableOf('filings').rows,
    paidCallsPerSecond: size.calls ?? FEW_SALES / 86_400,
    siteHours: crawl.busiestHours,
  };
  const { places, hours } = placesFor(crawl);
  const one = { ...ONE_FLEET, crawlHours: crawl.hoursWith(cost('readsAtOnce')) };
  return { name, load, one, fleet: fleetFor(load, ONE_MACHINE, hours), places };
}

const real = (counties: number): Size => ({ counties, propertyRows: (COUNTY_ROWS.real * counties) / COUNTIES });
const times = (n: number): Size => ({
  listings: n,
  propertyRows: COUNTY_ROWS.sandbox * n,
  entities: tableOf('filings').rows * n,
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

/** Crawls by host and by platform. */
export const CRAWLS = [COUNTIES, OHIO_AND_COLORADO.counties, ALL_COUNTIES].flatMap((counties) =>
  (['host', 'platform'] as const).map((sites) => crawlOf({ counties, listings: 1, sites })),
);
