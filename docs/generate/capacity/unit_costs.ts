/** What one page, row, call and byte costs: measured, declared by a setting, or assumed. */
import { AT_ONCE } from '../../../pipelines/crawl/crawler.ts';
import { retentionSettings } from '../../../pipelines/operate/settings.ts';
import { gasSettings } from '../../../api/payments/network_settings.ts';
import { benchFigure, figureIn } from './figures.ts';
import { worldReads, type SourceRead } from './reads.ts';
import { tableOf, theWorld, WORLD_PATH } from './world.ts';

export interface UnitCost {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** "measured": computed from a figure of a page. "declared": a setting or a limit. "assumed": nobody measured it. */
  readonly basis: 'measured' | 'declared' | 'assumed';
  /** Where the figure is from; of an assumption, why this value. */
  readonly source: string;
}

const link = (path: string, text = path): string => `[${text}](${path})`;
const PERFORMANCE = 'performance/README.md';
const [MB, GB] = [1e6, 1e9];

/** A line of `make bench`, divided by the rows or entities that it measured. */
function benched(what: string, unit: string, [measure, line]: readonly [string, string], rows = 1): UnitCost {
  const { value, unit: measured, measuredOn } = benchFigure(measure, line);
  const source = `${value} ${measured}, \`${measure}\` in ${link(PERFORMANCE, 'performance')}, ${measuredOn}`;
  return { what, value: value / rows, unit, basis: 'measured', source };
}

/** A figure in the text of a page. @param of its unit there, if another */
function stated(
  what: string,
  unit: string,
  [page, pattern]: readonly [string, RegExp],
  { of = unit, per = (value: number) => value } = {},
): UnitCost {
  const value = figureIn(`docs/${page}`, pattern);
  return { what, value: per(value), unit, basis: 'measured', source: `${value} ${of} in ${link(page)}` };
}

const recorded = (what: string, unit: string, value: number): UnitCost => {
  const source = `\`${WORLD_PATH}\`, a first day of the default world`;
  return { what, value, unit, basis: 'measured', source };
};
const declared = (what: string, value: number, unit: string, source: string): UnitCost => ({
  what,
  value,
  unit,
  basis: 'declared',
  source,
});
const assumed = (what: string, value: number, unit: string, source: string): UnitCost => ({
  what,
  value,
  unit,
  basis: 'assumed',
  source,
});
const keep = (name: 'KEEP_DAILY_DAYS' | 'KEEP_MONTHLY_DAYS' | 'KEEP_FILINGS_DAYS' | 'KEEP_READS_DAYS'): UnitCost =>
  declared(`\`${name}\``, retentionSettings.shape[name].parse(undefined), 'days', link('settings.md', 'settings'));

/** Rows that the measures of these pages had. */
const ENTITIES = 3_000_000;
const REAL_ROWS = figureIn(`docs/${PERFORMANCE}`, /publisher has, ([\d.]+) million in all/u) * 1e6;
const STAGED_ROWS = figureIn(`docs/${PERFORMANCE}`, /The archived pages of ([\d.]+) million rows/u) * 1e6;

const LISTING_TABLES = ['deals', 'reports', 'listing_history'];
const parquetOf = (isWanted: (table: string) => boolean): number =>
  Object.entries(theWorld().tables).reduce((sum, [name, { bytes }]) => sum + (isWanted(name) ? bytes : 0), 0);
const allBytes = parquetOf(() => true);
const listingBytes = parquetOf((name) => LISTING_TABLES.includes(name));
const [deals, filings] = [tableOf('deals'), tableOf('filings')];

const reads = await worldReads();
const bytesADay = (of: readonly SourceRead[]): number => of.reduce((sum, r) => sum + r.bytes / r.everyDays, 0);
const ofCounties = reads.filter(({ county }) => county !== null);
const countyRows = ofCounties.reduce((sum, { rows }) => sum + rows, 0);

const ROUND = 'a round figure among the usual list prices';
const REAL_TIME = [PERFORMANCE, /The build takes ([\d.]+) s/u] as const;
const REAL_PEAK = [PERFORMANCE, /and ([\d.]+) GiB at its peak/u] as const;
const ARCHIVED = ['first-load.md', /sandbox register \((\d+) MB\)/u] as const;
const FIRST_DISK = ['first-load.md', /needs 3 GB of memory and (\d+) GB of disk/u] as const;
const SNAPSHOT = ['operating.md', /3,000,000 filings, computed from [\d,]+ \| ([\d.]+) MB/u] as const;
const PROCESS = ['settings.md', /The process itself needs (\d+) MB more/u] as const;
const SQLITE = ['ledger.md', /`synchronous = FULL` \| [^|]*\| ([\d,]+) \(/u] as const;
const POSTGRES = ['ledger.md', /PostgreSQL, after \| [^|]*\| ([\d,]+) \(/u] as const;
const ofRealRows = (of: string) => ({ of, per: (value: number) => value / REAL_ROWS });

const COSTS = {
  responseMs: assumed('a response of a site', 500, 'ms', 'no run over the real web has been measured'),
  readsAtOnce: declared('sources that a worker reads at once', AT_ONCE, 'sources', '`AT_ONCE`, the default'),
  runSeconds: benched('a run that reads next to nothing, at most', 's', ['daily_run', '`make run` of the next']),
  propertyRowSeconds: stated('build of a staged row of a county', 's', REAL_TIME, ofRealRows('s')),
  propertyRowGib: stated('memory of a staged row of a county', 'GiB', REAL_PEAK, ofRealRows('GiB')),
  firstLoadSeconds: benched('first load of an entity', 's', ['colorado', 'first load'], ENTITIES),
  stagedRowSeconds: benched('a row parsed and staged by a worker', 's', ['staging', 'the same by one'], STAGED_ROWS),
  assembledRowSeconds: benched('a staged row assembled by the run', 's', ['staging', 'processor'], STAGED_ROWS),
  entitySeconds: benched('an entity in a later build', 's', ['colorado', 'the next day'], ENTITIES),
  entityGib: benched('memory of an entity in a build', 'GiB', ['colorado', 'peak memory of the day'], ENTITIES),
  entityArchived: stated('an entity in the archive', 'bytes', ARCHIVED, { of: 'MB', per: (v) => (v * MB) / ENTITIES }),
  entityDisk: stated('disk of a first load, an entity', 'bytes', FIRST_DISK, {
    of: 'GB',
    per: (v) => (v * GB) / ENTITIES,
  }),
  dayBytes: recorded('pages of a staged row of a county', 'bytes a day', bytesADay(ofCounties) / countyRows),
  listingDayBytes: recorded(
    'pages of a listing',
    'bytes a day',
    bytesADay(reads.filter(({ family }) => family === 'listings')) / deals.rows,
  ),
  listingParquet: recorded('Parquet of a listing', 'bytes', listingBytes / deals.rows),
  rowParquet: recorded(
    'Parquet of a staged row of a county',
    'bytes',
    (allBytes - filings.bytes - listingBytes) / countyRows,
  ),
  entityParquet: recorded('Parquet of an entity', 'bytes', filings.bytes / filings.rows),
  databaseShare: recorded(
    'DuckDB file, a byte of Parquet (small tables: less for large ones)',
    'bytes',
    theWorld().database / allBytes,
  ),
  entitySnapshot: stated('Parquet and DuckDB file of an entity', 'bytes', SNAPSHOT, {
    of: 'MB',
    per: (v) => (v * MB - allBytes - theWorld().database) / ENTITIES,
  }),
  keepDaily: keep('KEEP_DAILY_DAYS'),
  keepMonthly: keep('KEEP_MONTHLY_DAYS'),
  keepFilings: keep('KEEP_FILINGS_DAYS'),
  keepReads: keep('KEEP_READS_DAYS'),
  paidCallMs: benched('a paid call, one caller', 'ms', ['paid_call', 'a paid call']),
  lists: benched('unpaid lists of a machine, 16 callers', 'calls/s', ['queries', 'lists']),
  lookups: benched('unpaid lookups of a machine, 16 callers', 'calls/s', ['queries', 'lookups']),
  salesSqlite: stated('sales of a ledger in SQLite, 16 callers', 'sales/s', SQLITE),
  salesPostgres: stated('sales of a ledger in PostgreSQL, 16 callers', 'sales/s', POSTGRES),
  searchMs: benched('search in names, an entity', 'ms', ['real_size', 'a search in names'], ENTITIES),
  searchAimMs: declared(
    'longest search in names',
    benchFigure('real_size', 'a search in names').aim,
    'ms',
    `the aim of \`real_size\` in ${link(PERFORMANCE, 'performance')}`,
  ),
  startSeconds: benched('start of a server, an entity', 's', ['real_size', 'start of'], ENTITIES),
  serverGib: benched('memory of a server, an entity', 'GiB', ['real_size', 'its resident'], ENTITIES),
  processGib: stated('memory of a process, whatever the rows', 'GiB', PROCESS, {
    of: 'MB',
    per: (v) => (v * MB) / 2 ** 30,
  }),
  gasPerSale: declared(
    'gas of a sale, at most',
    gasSettings.GAS_PER_SETTLEMENT.parse(undefined),
    'gas',
    '`GAS_PER_SETTLEMENT`, reserved whole for each sale with `PAYMENTS=self`',
  ),
  gasPerDay: declared('gas of a key', gasSettings.GAS_PER_DAY.parse(undefined), 'gas a day', '`GAS_PER_DAY`'),
  sendMs: assumed(
    'a transaction on its way to our node',
    100,
    'ms',
    'three calls of a nearby node; a key sends one at a time',
  ),
  saleBytes: assumed(
    'a sold answer in the ledger',
    2_000,
    'bytes',
    `as in the measure of ${link('ledger.md', 'ledger')}; a list of deals is larger`,
  ),
  gasGwei: assumed('price of gas', 0.01, 'gwei', 'a quiet day of an Ethereum rollup such as Base; look it up on yours'),
  etherDollars: assumed('price of ether', 3_000, '$', 'a round figure; look it up'),
  storeDollars: assumed('a gigabyte in an S3 store', 0.023, '$ a month', 'the usual list price of object storage'),
  diskDollars: assumed('a gigabyte of disk', 0.1, '$ a month', ROUND),
  coreDollars: assumed('a core of a virtual machine', 10, '$ a month', ROUND),
  gibDollars: assumed('a GiB of its memory', 5, '$ a month', ROUND),
};

export const UNIT_COSTS: Readonly<Record<keyof typeof COSTS, UnitCost>> = COSTS;

/** Rows that the sources of the default world have, and those that their publishers have. */
export const COUNTY_ROWS = { sandbox: countyRows, real: REAL_ROWS };

/** A cost by its name. */
export const cost = (name: keyof typeof COSTS): number => COSTS[name].value;
