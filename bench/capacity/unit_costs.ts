/** What one page, row, call and byte costs: measured, declared by a setting, or assumed. */
import { AT_ONCE } from '../../pipelines/crawl/crawler.ts';
import { retentionSettings } from '../../pipelines/operate/settings.ts';
import { gasSettings } from '../../api/payments/network_settings.ts';
import { benchFigure, figureIn } from './figures.ts';
import { worldReads, type SourceRead } from './reads.ts';
import { tableOf, theWorld } from './world.ts';

export interface UnitCost {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** "measured": computed from a figure of a page. "declared": a setting or a limit. "assumed": nobody measured it. */
  readonly basis: 'measured' | 'declared' | 'assumed';
  /** Where the figure is from; of an assumption, why this value. */
  readonly source: string;
}

const link = (path: string, text: string): string => `[${text}](${path})`;
const PERFORMANCE = 'performance/README.md';
const FILINGS = 3_000_000;

/** A cost computed from a figure of `make bench`. */
function benched(what: string, unit: string, [measure, line]: readonly [string, string], per: (v: number) => number) {
  const { value, unit: measured, measuredOn } = benchFigure(measure, line);
  const source = `${value} ${measured}, \`${measure}\` in ${link(PERFORMANCE, 'performance')}, ${measuredOn}`;
  return { what, value: per(value), unit, basis: 'measured', source } as const;
}

/** A cost computed from a figure in the text of a page. */
const stated = (
  what: string,
  unit: string,
  page: string,
  pattern: RegExp,
  { of: measured = unit, per = (v: number) => v }: { readonly of?: string; readonly per?: (v: number) => number } = {},
) => {
  const value = figureIn(`docs/${page}`, pattern);
  return {
    what,
    value: per(value),
    unit,
    basis: 'measured',
    source: `${value} ${measured} in ${link(page, page)}`,
  } as const;
};

const declared = (what: string, value: number, unit: string, source: string) =>
  ({ what, value, unit, basis: 'declared', source }) as const;
const assumed = (what: string, value: number, unit: string, source: string) =>
  ({ what, value, unit, basis: 'assumed', source }) as const;

const REAL_ROWS = figureIn(`docs/${PERFORMANCE}`, /publisher has, ([\d.]+) million in all/u) * 1e6;
const WORLD = '`bench/capacity/world.json`, a first day of the default world';
const filings = tableOf('filings');
const LISTING_TABLES = ['deals', 'reports', 'listing_history'];
const parquetOf = (isWanted: (table: string) => boolean): number =>
  Object.entries(theWorld().tables).reduce((sum, [name, { bytes }]) => sum + (isWanted(name) ? bytes : 0), 0);
const listingBytes = parquetOf((name) => LISTING_TABLES.includes(name));
const otherBytes = parquetOf((name) => name !== 'filings') - listingBytes;
const recorded = (what: string, unit: string, value: number) =>
  ({ what, value, unit, basis: 'measured', source: WORLD }) as const;
const reads = await worldReads();
const totals = (of: readonly SourceRead[]): { readonly bytes: number; readonly rows: number } => ({
  bytes: of.reduce((sum, { bytes, everyDays }) => sum + bytes / everyDays, 0),
  rows: of.reduce((sum, { source }) => sum + (theWorld().sources[source]?.rows ?? 0), 0),
});
const COUNTY = totals(reads.filter(({ county }) => county !== null));
const LISTINGS = totals(reads.filter(({ family }) => family === 'listings'));
const keep = (name: 'KEEP_DAILY_DAYS' | 'KEEP_MONTHLY_DAYS' | 'KEEP_FILINGS_DAYS' | 'KEEP_READS_DAYS') =>
  declared(`\`${name}\``, retentionSettings.shape[name].parse(undefined), 'days', link('settings.md', 'settings'));

/** Rows of `make bench ONLY=staging`. */
const STAGED_ROWS = figureIn(`docs/${PERFORMANCE}`, /The archived pages of ([\d.]+) million rows/u) * 1e6;

export const UNIT_COSTS = {
  responseMs: assumed('a response of a site', 500, 'ms', 'no run over the real web has been measured'),
  readsAtOnce: declared('sources that a worker reads at once', AT_ONCE, 'sources', '`AT_ONCE`, the default'),
  runSeconds: benched('a run that reads next to nothing, at most', 's', ['daily_run', '`make run` of a day'], (s) => s),
  propertyRowSeconds: stated('build of a staged row of a county', 's', PERFORMANCE, /The build takes ([\d.]+) s/u, {
    of: 's',
    per: (s) => s / REAL_ROWS,
  }),
  propertyRowGib: stated('memory of a staged row of a county', 'GiB', PERFORMANCE, /and ([\d.]+) GiB at its peak/u, {
    of: 'GiB',
    per: (gib) => gib / REAL_ROWS,
  }),
  firstLoadSeconds: benched('first load of an entity', 's', ['colorado', 'first load'], (s) => s / FILINGS),
  stagedRowSeconds: benched(
    'a row parsed and staged by a worker',
    's',
    ['staging', 'the same by one worker'],
    (s) => s / STAGED_ROWS,
  ),
  assembledRowSeconds: benched(
    'a staged row put together by the run',
    's',
    ['staging', 'processor time of the run'],
    (s) => s / STAGED_ROWS,
  ),
  entitySeconds: benched('an entity in a later build', 's', ['colorado', 'a day of'], (s) => s / FILINGS),
  entityGib: benched(
    'memory of an entity in a build',
    'GiB',
    ['colorado', 'peak memory of the day'],
    (gib) => gib / FILINGS,
  ),
  entityArchived: stated('an entity in the archive', 'bytes', 'first-load.md', /sandbox register \((\d+) MB\)/u, {
    of: 'MB',
    per: (mb) => (mb * 1e6) / FILINGS,
  }),
  entityDisk: stated(
    'disk of a first load, an entity',
    'bytes',
    'first-load.md',
    /needs 3 GB of memory and (\d+) GB of disk/u,
    { of: 'GB', per: (gb) => (gb * 1e9) / FILINGS },
  ),
  dayBytes: recorded('pages of a staged row of a county', 'bytes a day', COUNTY.bytes / COUNTY.rows),
  listingDayBytes: recorded('pages of a listing', 'bytes a day', LISTINGS.bytes / tableOf('deals').rows),
  listingParquet: recorded('Parquet of a listing', 'bytes', listingBytes / tableOf('deals').rows),
  rowParquet: recorded('Parquet of a staged row of a county', 'bytes', otherBytes / COUNTY.rows),
  entityParquet: recorded('Parquet of an entity', 'bytes', filings.bytes / filings.rows),
  databaseShare: recorded(
    'DuckDB file, a byte of Parquet (small tables: less for large ones)',
    'bytes',
    theWorld().database / parquetOf(() => true),
  ),
  entitySnapshot: stated(
    'Parquet and DuckDB file of an entity',
    'bytes',
    'operating.md',
    /3,000,000 filings, computed from [\d,]+ \| ([\d.]+) MB/u,
    { of: 'MB', per: (mb) => (mb * 1e6 - parquetOf(() => true) - theWorld().database) / FILINGS },
  ),
  keepDaily: keep('KEEP_DAILY_DAYS'),
  keepMonthly: keep('KEEP_MONTHLY_DAYS'),
  keepFilings: keep('KEEP_FILINGS_DAYS'),
  keepReads: keep('KEEP_READS_DAYS'),
  paidCallMs: benched('a paid call, one caller', 'ms', ['paid_call', 'a paid call'], (ms) => ms),
  lists: benched('unpaid lists of a machine, 16 callers', 'calls/s', ['queries', 'lists'], (calls) => calls),
  lookups: benched('unpaid lookups of a machine, 16 callers', 'calls/s', ['queries', 'lookups'], (calls) => calls),
  salesSqlite: stated(
    'sales of a ledger in SQLite, 16 callers',
    'sales/s',
    'ledger.md',
    /`synchronous = FULL` \| [^|]*\| ([\d,]+) \(/u,
  ),
  salesPostgres: stated(
    'sales of a ledger in PostgreSQL, 16 callers',
    'sales/s',
    'ledger.md',
    /PostgreSQL, after \| [^|]*\| ([\d,]+) \(/u,
  ),
  searchMs: benched('search in names, an entity', 'ms', ['real_size', 'a search in names'], (ms) => ms / FILINGS),
  searchAimMs: declared(
    'longest search in names',
    benchFigure('real_size', 'a search in names').aim,
    'ms',
    `the aim of \`real_size\` in ${link(PERFORMANCE, 'performance')}`,
  ),
  startSeconds: benched('start of a server, an entity', 's', ['real_size', 'start of'], (s) => s / FILINGS),
  serverGib: benched('memory of a server, an entity', 'GiB', ['real_size', 'its resident'], (gib) => gib / FILINGS),
  processGib: stated(
    'memory of a process, whatever the rows',
    'GiB',
    'settings.md',
    /The process itself needs (\d+) MB more/u,
    { of: 'MB', per: (mb) => (mb * 1e6) / 2 ** 30 },
  ),
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
    'three calls of a node nearby; a key sends one at a time',
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
  diskDollars: assumed('a gigabyte of disk', 0.1, '$ a month', 'a round figure among the usual list prices'),
  coreDollars: assumed('a core of a virtual machine', 10, '$ a month', 'a round figure among the usual list prices'),
  gibDollars: assumed('a GiB of its memory', 5, '$ a month', 'a round figure among the usual list prices'),
} as const satisfies Readonly<Record<string, UnitCost>>;

/** Rows that the sources of the default world have, and those that their publishers have. */
export const COUNTY_ROWS = { sandbox: COUNTY.rows, real: REAL_ROWS };

/** A cost by its name. */
export const cost = (name: keyof typeof UNIT_COSTS): number => UNIT_COSTS[name].value;
