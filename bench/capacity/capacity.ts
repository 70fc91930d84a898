/** What a load asks of a fleet, what it costs a month, and which limit it reaches first. Pure functions. */
import { retentionSettings } from '../../pipelines/operate/settings.ts';
import { cost } from './unit_costs.ts';

export interface Load {
  /** Listings that become deals. */
  readonly listings: number;
  /** Staged rows of counties: debts, parcels, sales, cases. */
  readonly propertyRows: number;
  /** Entities of business registers. */
  readonly entities: number;
  readonly paidCallsPerSecond: number;
  /** Hours of the crawl and of its busiest site, from the simulation. */
  readonly crawlHours: number;
  readonly siteHours: number;
  /** Days of KEEP_DAILY_DAYS and KEEP_READS_DAYS. */
  readonly keepDaily: number;
  readonly keepReads: number;
}

export interface Machine {
  readonly cores: number;
  readonly memoryGib: number;
  readonly diskGb: number;
}

export interface Fleet {
  /** The machine of the runs. */
  readonly build: Machine;
  readonly servers: number;
  readonly server: Machine;
  /** One key per server: `PAYMENTS=self` needs different ones. */
  readonly gasPerDay: number;
  readonly ledger: 'sqlite' | 'postgres';
  /** With STORE, old snapshots and pages are in a bucket. */
  readonly hasStore: boolean;
}

export interface Limit {
  readonly part: string;
  readonly used: number;
  readonly limit: number;
  readonly unit: string;
  /** What removes it. */
  readonly remedy: string;
}

export const useOf = ({ used, limit }: Limit): number => used / limit;

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

/** Bytes of the pages that a day adds, after the first load. */
export const archivedPerDay = ({ propertyRows, listings }: Load): number =>
  propertyRows * cost('dayBytes') + listings * cost('listingDayBytes');

export interface SnapshotBytes {
  /** Parquet files without filings. */
  readonly parquet: number;
  readonly filings: number;
  readonly database: number;
}

export function snapshotBytes({ propertyRows, listings, entities }: Load): SnapshotBytes {
  const parquet = listings * cost('listingParquet') + propertyRows * cost('rowParquet');
  const filings = entities * cost('entityParquet');
  const database = parquet * cost('databaseShare') + entities * cost('entitySnapshot') - filings;
  return { parquet, filings, database };
}

/** Bytes of all snapshots that `make prune` keeps of a number of days. */
export function keptSnapshotBytes(load: Load, days: number = cost('keepMonthly')): number {
  const { parquet, filings, database } = snapshotBytes(load);
  const daily = Math.min(days, load.keepDaily);
  const monthly = Math.max(0, Math.floor((days - daily) / MONTH_DAYS));
  const withFilings =
    Math.min(days, cost('keepFilings')) + Math.floor(Math.max(0, days - cost('keepFilings')) / MONTH_DAYS);
  return (daily + monthly) * parquet + withFilings * filings + databases * database;
}

export interface Storage {
  /** Snapshots and pages, after the longest retention has passed. */
  readonly keptBytes: number;
  /** Answers that the ledger stores in a year. It is never pruned, and not in a bucket. */
  readonly ledgerBytesPerYear: number;
  readonly bytesPerMonth: number;
  /** What a run needs on its own disk, with or without a store. */
  readonly workingBytes: number;
}

export function storageOf(load: Load): Storage {
  const registers = load.entities * cost('entityArchived');
  const sales = salesPerDay(load) * cost('saleBytes');
  const pages = archivedPerDay(load);
  const { parquet, filings, database } = snapshotBytes(load);
  return {
    keptBytes: keptSnapshotBytes(load) + pages * load.keepReads + registers,
    ledgerBytesPerYear: sales * 365,
    bytesPerMonth: MONTH_DAYS * (pages + parquet + sales),
    workingBytes: Math.max(load.entities * cost('entityDisk'), 2 * (parquet + filings + database)),
  };
}

export const salesPerDay = ({ paidCallsPerSecond }: Load): number => paidCallsPerSecond * DAY_SECONDS;

/** Dollars of gas of a sale with `PAYMENTS=self`. */
export const gasDollarsPerSale = (): number => cost('gasPerSale') * cost('gasGwei') * 1e-9 * cost('etherDollars');

export interface MonthlyDollars {
  readonly machines: number;
  readonly storage: number;
  readonly gas: number;
}

const machineDollars = ({ cores, memoryGib, diskGb }: Machine): number =>
  cores * cost('coreDollars') + memoryGib * cost('gibDollars') + diskGb * cost('diskDollars');

export function monthlyDollars(load: Load, fleet: Fleet): MonthlyDollars {
  const { keptBytes, ledgerBytesPerYear } = storageOf(load);
  // A ledger in SQLite is on the disk of the server. PostgreSQL has a machine of its own.
  const ledger =
    fleet.ledger === 'postgres' ? machineDollars({ ...fleet.server, diskGb: ledgerBytesPerYear / 1e9 }) : 0;
  return {
    machines: machineDollars(fleet.build) + fleet.servers * machineDollars(fleet.server) + ledger,
    storage: fleet.hasStore ? (keptBytes / 1e9) * cost('storeDollars') : 0,
    gas: MONTH_DAYS * salesPerDay(load) * gasDollarsPerSale(),
  };
}

/** Paid calls a second of a machine with so many cores: at least those of one caller on the measured two. */
export const paidCallsOf = ({ cores }: Machine): number => ((1000 / cost('paidCallMs')) * cores) / 2;

/** Disk of the machine of the runs, with the older snapshots and pages on it or in a store. */
function runDiskBytes(load: Load, hasStore: boolean): number {
  const { keptBytes, workingBytes } = storageOf(load);
  return hasStore ? workingBytes : keptBytes + workingBytes;
}

/** Each limit that the load meets on this fleet. */
export function limitsOf(load: Load, fleet: Fleet): readonly Limit[] {
  const { ledgerBytesPerYear } = storageOf(load);
  const calls = load.paidCallsPerSecond;
  return [
    {
      part: 'the busiest site',
      used: load.siteHours,
      limit: 24,
      unit: 'hours a day',
      remedy: 'nothing that we add: read it on fewer days, or ask its owner for a file or a shorter interval',
    },
    {
      part: 'places of the crawl',
      used: load.crawlHours,
      limit: 24,
      unit: 'hours a day',
      remedy: '`AT_ONCE`, then workers',
    },
    {
      part: 'time of the build',
      used: buildHours(load),
      limit: 24,
      unit: 'hours a day',
      remedy: 'a machine with faster cores; then a data folder per group of states',
    },
    {
      part: 'memory of the build',
      used: buildMemoryGib(load),
      limit: fleet.build.memoryGib,
      unit: 'GiB',
      remedy: 'a machine with more memory and `BUILD_MEMORY`; then a data folder per group of states',
    },
    {
      part: 'disk of the runs',
      used: runDiskBytes(load, fleet.hasStore) / 1e9,
      limit: fleet.build.diskGb,
      unit: 'GB',
      remedy: '`STORE` for old snapshots and pages, then a larger disk',
    },
    {
      part: 'disk of the ledger, a year',
      used: ledgerBytesPerYear / 1e9,
      limit: fleet.ledger === 'postgres' ? Number.POSITIVE_INFINITY : fleet.server.diskGb,
      unit: 'GB',
      remedy: '`LEDGER` in PostgreSQL, on a disk of its size',
    },
    {
      part: 'memory of a server',
      used: serverMemoryGib(load),
      limit: fleet.server.memoryGib,
      unit: 'GiB',
      remedy: 'servers with more memory',
    },
    {
      part: 'search in names',
      used: load.entities * cost('searchMs'),
      limit: cost('searchAimMs'),
      unit: 'ms',
      remedy: 'an index of names, or a server per group of states: it scans every entity; replicas do not shorten it',
    },
    {
      part: 'gas of a day',
      used: salesPerDay(load) * cost('gasPerSale'),
      limit: fleet.gasPerDay * fleet.servers,
      unit: 'gas',
      remedy: '`GAS_PER_DAY`, then more servers, each with its key; or a facilitator',
    },
    {
      part: 'settlement keys',
      used: calls,
      limit: (fleet.servers * 1000) / cost('sendMs'),
      unit: 'sales/s',
      remedy: 'more servers, each with its key; or a facilitator',
    },
    {
      part: 'processors of the servers',
      used: calls,
      limit: fleet.servers * paidCallsOf(fleet.server),
      unit: 'sales/s',
      remedy: 'more servers',
    },
    {
      part: 'the ledger',
      used: calls,
      limit: cost(fleet.ledger === 'sqlite' ? 'salesSqlite' : 'salesPostgres'),
      unit: 'sales/s',
      remedy: 'PostgreSQL on a machine of its own; then a ledger per shop, because one ledger is one database',
    },
  ];
}

/** The limit that is reached first when everything grows together: the one with the largest use. */
export function bottleneckOf(limits: readonly Limit[]): Limit {
  const [first] = [...limits].sort((a, b) => useOf(b) - useOf(a));
  if (!first) throw new Error('no limits');
  return first;
}

/** The least power of two that is at least this, from a least size. */
const sized = (needed: number, least: number): number => (needed <= least ? least : 2 ** Math.ceil(Math.log2(needed)));

/**
 * The smallest fleet on which everything fits that more or larger parts can make fit.
 * @param from the machine that the parts start from
 */
export function fleetFor(load: Load, from: Machine): Fleet {
  const calls = load.paidCallsPerSecond;
  const gas = salesPerDay(load) * cost('gasPerSale');
  const servers = Math.max(1, Math.ceil(calls / paidCallsOf(from)), Math.ceil((calls * cost('sendMs')) / 1000));
  const hasStore = runDiskBytes(load, false) / 1e9 > from.diskGb;
  const ledgerFits = storageOf(load).ledgerBytesPerYear / 1e9 <= from.diskGb;
  return {
    build: {
      cores: from.cores,
      memoryGib: sized(buildMemoryGib(load), from.memoryGib),
      diskGb: sized(runDiskBytes(load, hasStore) / 1e9, from.diskGb),
    },
    servers,
    server: { ...from, memoryGib: sized(serverMemoryGib(load), from.memoryGib) },
    gasPerDay: Math.max(cost('gasPerDay'), Math.ceil(gas / servers)),
    ledger: servers === 1 && ledgerFits ? 'sqlite' : 'postgres',
    hasStore,
  };
}

/** Limits that the load is above. */
export const exceeded = (limits: readonly Limit[]): readonly Limit[] => limits.filter((limit) => useOf(limit) > 1);
