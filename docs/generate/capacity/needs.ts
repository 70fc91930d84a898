/** What a load needs: time, memory, bytes, dollars, the fleet that fits it, and the limits that it meets. Pure. */
import { retentionSettings } from '../../../pipelines/operate/settings.ts';
import { cost } from './unit_costs.ts';

export interface Load {
  /** Listings that become deals. */
  readonly listings: number;
  /** Staged rows of counties: debts, parcels, sales, cases. */
  readonly propertyRows: number;
  /** Entities of business registers. */
  readonly entities: number;
  readonly paidCallsPerSecond: number;
  /** Hours of the busiest site. */
  readonly siteHours: number;
}

export interface Machine {
  readonly cores: number;
  readonly memoryGib: number;
  readonly diskGb: number;
}

export interface Fleet {
  /** Hours of the crawl with the sources that are read at once. */
  readonly crawlHours: number;
  /** The machine of the runs. */
  readonly build: Machine;
  readonly servers: number;
  readonly server: Machine;
  /** One key per server: `PAYMENTS=self` needs different ones. */
  readonly gasPerDay: number;
  readonly ledger: 'SQLite' | 'PostgreSQL';
  /** With STORE, old snapshots and pages are in a bucket. */
  readonly hasStore: boolean;
}

const DAY_SECONDS = 86_400;
const MONTH_DAYS = 30;
/** Snapshots that keep their DuckDB file. */
const databases = retentionSettings.shape.KEEP_DATABASE_DAYS.parse(undefined);

/** Hours of a daily build, and of the first load of the registers. */
export const buildHours = ({ propertyRows, entities }: Load): number =>
  (cost('runSeconds') + propertyRows * cost('propertyRowSeconds') + entities * cost('entitySeconds')) / 3600;
export const firstLoadHours = ({ entities }: Load): number => (entities * cost('firstLoadSeconds')) / 3600;

/**
 * Hours to parse and stage every row once, as on a first day, by workers of one core each. Meanwhile the run puts
 * together what they have staged, on a core of its own.
 */
export const stagingHours = ({ propertyRows, entities }: Load, workers: number): number =>
  ((propertyRows + entities) * Math.max(cost('stagedRowSeconds') / workers, cost('assembledRowSeconds'))) / 3600;

export const buildMemoryGib = ({ propertyRows, entities }: Load): number =>
  cost('processGib') + propertyRows * cost('propertyRowGib') + entities * cost('entityGib');
export const serverMemoryGib = ({ entities }: Load): number => cost('processGib') + entities * cost('serverGib');

/** Bytes of one snapshot: its Parquet files without filings, those of filings, and its DuckDB file. */
function snapshotParts({ propertyRows, listings, entities }: Load) {
  const parquet = listings * cost('listingParquet') + propertyRows * cost('rowParquet');
  const filings = entities * cost('entityParquet');
  const database = parquet * cost('databaseShare') + entities * cost('entitySnapshot') - filings;
  return { parquet, filings, database };
}

/** Bytes of all snapshots that `make prune` keeps of a number of days. */
export function keptSnapshotBytes(load: Load, days: number = cost('keepMonthly')): number {
  const { parquet, filings, database } = snapshotParts(load);
  const daily = Math.min(days, cost('keepDaily'));
  const monthly = Math.floor((days - daily) / MONTH_DAYS);
  const ofFilings = Math.min(days, cost('keepFilings'));
  const withFilings = ofFilings + Math.floor((days - ofFilings) / MONTH_DAYS);
  return (daily + monthly) * parquet + withFilings * filings + databases * database;
}

const salesPerDay = ({ paidCallsPerSecond }: Load): number => paidCallsPerSecond * DAY_SECONDS;

/** Bytes on disks and in the store. */
export function storageOf(load: Load) {
  const sales = salesPerDay(load) * cost('saleBytes');
  const pages = load.propertyRows * cost('dayBytes') + load.listings * cost('listingDayBytes');
  const { parquet, filings, database } = snapshotParts(load);
  const snapshot = parquet + filings + database;
  return {
    snapshot,
    /** Snapshots and pages, after the longest retention has passed. */
    kept: keptSnapshotBytes(load) + pages * cost('keepReads') + load.entities * cost('entityArchived'),
    /** Answers that the ledger stores. It is never pruned, and not in a bucket. */
    ledgerPerYear: sales * 365,
    perMonth: MONTH_DAYS * (pages + parquet + sales),
    /** What a run needs on its own disk, with or without a store. */
    working: Math.max(load.entities * cost('entityDisk'), 2 * snapshot),
  };
}

/** Disk of the machine of the runs, with the older snapshots and pages on it or in a store. */
function runDiskGb(load: Load, hasStore: boolean): number {
  const { kept, working } = storageOf(load);
  return (hasStore ? working : kept + working) / 1e9;
}

/** Dollars of gas of a sale with `PAYMENTS=self`. */
export const gasDollarsPerSale = (): number => cost('gasPerSale') * cost('gasGwei') * 1e-9 * cost('etherDollars');

const machineDollars = ({ cores, memoryGib, diskGb }: Machine): number =>
  cores * cost('coreDollars') + memoryGib * cost('gibDollars') + diskGb * cost('diskDollars');

export function monthlyDollars(load: Load, { build, servers, server, ledger, hasStore }: Fleet) {
  const { kept, ledgerPerYear } = storageOf(load);
  // A ledger in SQLite is on the disk of the server. PostgreSQL has a machine of its own.
  const ofLedger = ledger === 'PostgreSQL' ? machineDollars({ ...server, diskGb: ledgerPerYear / 1e9 }) : 0;
  return {
    machines: machineDollars(build) + servers * machineDollars(server) + ofLedger,
    storage: hasStore ? (kept / 1e9) * cost('storeDollars') : 0,
    gas: MONTH_DAYS * salesPerDay(load) * gasDollarsPerSale(),
  };
}

/** Paid calls a second of a machine with so many cores: at least those of one caller on the measured two. */
export const paidCallsOf = ({ cores }: Machine): number => ((1000 / cost('paidCallMs')) * cores) / 2;

/** What removes each limit. */
export const REMEDIES = {
  'the busiest site': 'nothing that we add: read it on fewer days, or ask its owner for a file or a shorter interval',
  'places of the crawl': '`AT_ONCE`, then workers',
  'time of the build': 'a machine with faster cores; then a data folder per group of states',
  'memory of the build': 'a machine with more memory and `BUILD_MEMORY`; then a data folder per group of states',
  'disk of the runs': '`STORE` for old snapshots and pages, then a larger disk',
  'disk of the ledger, a year': '`LEDGER` in PostgreSQL, on a disk of its size',
  'memory of a server': 'servers with more memory',
  'search in names':
    'an index of names, or a server per group of states: it scans every entity; replicas do not shorten it',
  'gas of a day': '`GAS_PER_DAY`, then more servers, each with its key; or a facilitator',
  'settlement keys': 'more servers, each with its key; or a facilitator',
  'processors of the servers': 'more servers',
  'the ledger': 'PostgreSQL on a machine of its own; then a ledger per shop, because one ledger is one database',
} as const;

export interface Limit {
  readonly part: keyof typeof REMEDIES;
  /** Share of the limit that the load uses: it does not fit above 1. */
  readonly use: number;
}

/** The limits that a load meets on a fleet, the most used first: it is reached first when everything grows together. */
export function limitsOf(load: Load, fleet: Fleet): readonly [Limit, ...Limit[]] {
  const { build, servers, server, ledger } = fleet;
  const calls = load.paidCallsPerSecond;
  const uses: Readonly<Record<Limit['part'], number>> = {
    'the busiest site': load.siteHours / 24,
    'places of the crawl': fleet.crawlHours / 24,
    'time of the build': buildHours(load) / 24,
    'memory of the build': buildMemoryGib(load) / build.memoryGib,
    'disk of the runs': runDiskGb(load, fleet.hasStore) / build.diskGb,
    'disk of the ledger, a year': ledger === 'PostgreSQL' ? 0 : storageOf(load).ledgerPerYear / 1e9 / server.diskGb,
    'memory of a server': serverMemoryGib(load) / server.memoryGib,
    'search in names': (load.entities * cost('searchMs')) / cost('searchAimMs'),
    'gas of a day': (salesPerDay(load) * cost('gasPerSale')) / (fleet.gasPerDay * servers),
    'settlement keys': (calls * cost('sendMs')) / 1000 / servers,
    'processors of the servers': calls / paidCallsOf(server) / servers,
    'the ledger': calls / cost(ledger === 'SQLite' ? 'salesSqlite' : 'salesPostgres'),
  };
  const limits = Object.entries(uses).map(([part, use]) => ({ part: part as Limit['part'], use }));
  return limits.sort((a, b) => b.use - a.use) as [Limit, ...Limit[]];
}

/** The least power of two that is at least this, from a least size. */
const sized = (needed: number, least: number): number => (needed <= least ? least : 2 ** Math.ceil(Math.log2(needed)));

/**
 * The smallest fleet on which everything fits that more or larger parts can make fit.
 * @param from the machine that the parts start from
 */
export function fleetFor(load: Load, from: Machine, crawlHours: number): Fleet {
  const calls = load.paidCallsPerSecond;
  const servers = Math.max(1, Math.ceil(calls / paidCallsOf(from)), Math.ceil((calls * cost('sendMs')) / 1000));
  const hasStore = runDiskGb(load, false) > from.diskGb;
  const ledgerFits = storageOf(load).ledgerPerYear / 1e9 <= from.diskGb;
  return {
    crawlHours,
    build: {
      cores: from.cores,
      memoryGib: sized(buildMemoryGib(load), from.memoryGib),
      diskGb: sized(runDiskGb(load, hasStore), from.diskGb),
    },
    servers,
    server: { ...from, memoryGib: sized(serverMemoryGib(load), from.memoryGib) },
    gasPerDay: Math.max(cost('gasPerDay'), Math.ceil((salesPerDay(load) * cost('gasPerSale')) / servers)),
    ledger: servers === 1 && ledgerFits ? 'SQLite' : 'PostgreSQL',
    hasStore,
  };
}
