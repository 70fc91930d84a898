/** docs/capacity.md: what one machine does, and several, at each step from the default world to every county. */
import { readFileSync } from 'node:fs';
import { cell, table } from '../../../lib/markdown.ts';
import {
  buildHours,
  buildMemoryGib,
  firstLoadHours,
  gasDollarsPerSale,
  limitsOf,
  monthlyDollars,
  paidCallsOf,
  REMEDIES,
  serverMemoryGib,
  stagingHours,
  storageOf,
  type Limit,
} from './needs.ts';
import {
  ALL_COUNTIES,
  ALL_ENTITIES,
  CALL_STEPS,
  COUNTIES,
  CRAWLS,
  FEW_SALES,
  ONE_MACHINE,
  STEPS,
  type Step,
} from './steps.ts';
import { cost, COUNTY_ROWS, UNIT_COSTS, type UnitCost } from './unit_costs.ts';

/** Two figures, three from a hundred. */
const shown = (value: number): string => {
  const digits = value >= 100 ? 3 : 2;
  const rounded = Number(value.toPrecision(digits));
  return rounded.toLocaleString('en-US', { maximumSignificantDigits: digits });
};
const exact = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
const duration = (hours: number): string =>
  hours >= 1 ? `${shown(hours)} h` : hours * 60 >= 1 ? `${shown(hours * 60)} min` : `${shown(hours * 3600)} s`;
const size = (bytes: number): string =>
  bytes >= 1e12 ? `${shown(bytes / 1e12)} TB` : bytes >= 1e9 ? `${shown(bytes / 1e9)} GB` : `${shown(bytes / 1e6)} MB`;
const dollars = (value: number): string => `$${shown(value)}`;
const times = ({ use }: Limit): string => (use > 1 ? `${shown(use)}×` : `${shown(100 * use)} %`);
const bold = (limit: Limit): string => `**${limit.part}**, ${times(limit)}`;

/** Limits that a load is above. */
const exceeded = (limits: readonly Limit[]): readonly Limit[] => limits.filter(({ use }) => use > 1);

/** The first bottleneck of one machine, and the other limits that it is above. */
function bottleneckCells({ load, one }: Step): readonly [first: string, others: string] {
  const [first, ...others] = limitsOf(load, one);
  return [
    bold(first),
    exceeded(others)
      .map((limit) => `${limit.part} ${times(limit)}`)
      .join(', ') || 'none',
  ];
}

const remaining = ({ load, fleet }: Step): string => exceeded(limitsOf(load, fleet)).map(bold).join('; ') || 'nothing';

const oneMachineTable = (): string =>
  table(
    ['step', 'crawl', 'first load of the registers', 'build', 'memory of the build', 'first bottleneck', 'also above'],
    STEPS.map((step) => [
      step.name,
      duration(step.one.crawlHours),
      duration(firstLoadHours(step.load)),
      duration(buildHours(step.load)),
      `${shown(buildMemoryGib(step.load))} GiB`,
      ...bottleneckCells(step),
    ]),
  );

const FLEET = ['sources at once', 'crawl', 'machine of the runs', 'server', 'old files', 'machines', 'store', 'gas'];
const STILL = 'still above its limit';

const fleetTable = (): string =>
  table(
    ['step', ...FLEET, STILL],
    STEPS.map((step) => {
      const { build, crawlHours, server, hasStore } = step.fleet;
      const { machines, storage, gas } = monthlyDollars(step.load, step.fleet);
      return [
        step.name,
        String(step.places),
        duration(crawlHours),
        `${exact(build.memoryGib)} GiB, ${exact(build.diskGb)} GB`,
        `${server.memoryGib} GiB`,
        hasStore ? '`STORE`' : 'on its disk',
        dollars(machines),
        dollars(storage),
        dollars(gas),
        remaining(step),
      ];
    }),
  );

const WORKERS = [1, 2, 4, 8] as const;

const stagingTable = (): string =>
  table(
    ['step', 'rows', ...WORKERS.map((workers) => (workers === 1 ? '1 worker' : `${workers} workers`))],
    STEPS.map(({ name, load }) => [
      name,
      shown(load.propertyRows + load.entities),
      ...WORKERS.map((workers) => duration(stagingHours(load, workers))),
    ]),
  );

const STORAGE = ['pages, snapshots and sales a month', 'retained in total', 'one snapshot', 'disk of a run'];

const storageTable = (): string =>
  table(
    ['step', ...STORAGE, 'server: memory, start'],
    STEPS.map(({ name, load }) => {
      const { kept, perMonth, snapshot, working } = storageOf(load);
      const start = duration((load.entities * cost('startSeconds')) / 3600);
      return [name, ...[perMonth, kept, snapshot, working].map(size), `${shown(serverMemoryGib(load))} GiB, ${start}`];
    }),
  );

const memoryTable = (): string =>
  table(
    ['memory', 'entities, without counties', 'staged rows of counties, without registers', 'counties of real size'],
    [4, 16, 64, 256, 1024].map((gib) => {
      const free = gib - cost('processGib');
      const rows = free / cost('propertyRowGib');
      return [`${gib} GiB`, shown(free / cost('entityGib')), shown(rows), shown((rows / COUNTY_ROWS.real) * COUNTIES)];
    }),
  );

const CALLS = ['servers and keys', '`GAS_PER_DAY` of each', 'ledger', 'it grows in a month', 'machines', 'gas'];

const callsTable = (): string =>
  table(
    ['step', 'first bottleneck of one machine', 'also above', ...CALLS, STILL],
    CALL_STEPS.map((step) => {
      const { servers, gasPerDay, ledger } = step.fleet;
      const { machines, gas } = monthlyDollars(step.load, step.fleet);
      return [
        step.name,
        ...bottleneckCells(step),
        String(servers),
        exact(gasPerDay),
        ledger,
        size((storageOf(step.load).ledgerPerYear / 365) * 30),
        dollars(machines),
        dollars(gas),
        remaining(step),
      ];
    }),
  );

const PLACES = [4, 16, 256] as const;

const crawlTable = (): string =>
  table(
    ['counties', 'a site is', 'sites', 'sources', 'requests', ...PLACES.map((n) => `${n} at once`), 'busiest site'],
    CRAWLS.map(({ scale, sites, sources, requests, busiest, busiestHours, hoursWith }) => [
      shown(scale.counties),
      `a ${scale.sites}`,
      ...[sites, sources, requests].map((count) => count.toLocaleString('en-US')),
      ...PLACES.map((places) => duration(hoursWith(places))),
      `${busiest}, ${duration(busiestHours)}`,
    ]),
  );

const loadTable = (): string =>
  table(
    ['step', 'staged rows of counties', 'entities', 'listings'],
    STEPS.map(({ name, load }) => [name, ...[load.propertyRows, load.entities, load.listings].map(shown)]),
  );

/** Units of small values, in which they are no long fractions. */
const SMALL: Readonly<Record<string, readonly [factor: number, unit: string]>> = {
  s: [1e6, 'µs'],
  ms: [1e6, 'ns'],
  GiB: [2 ** 30, 'bytes'],
};

const costTable = (): string =>
  table(
    ['unit cost', 'value', 'basis', 'from'],
    Object.values(UNIT_COSTS).map(({ what, value, unit, basis, source }: UnitCost) => {
      const [factor, name] = (value < 0.001 ? SMALL[unit] : undefined) ?? [1, unit];
      const marked = basis === 'assumed' ? '**assumed**' : basis;
      return [cell(what), `${exact(value * factor)} ${name}`, marked, cell(source)];
    }),
  );

/** @throws Error naming a placeholder of the template that has no value */
export function capacityPage(): string {
  const slowest = Math.max(...CRAWLS.map(({ busiestHours }) => busiestHours));
  const values: Readonly<Record<string, string | number>> = {
    cores: ONE_MACHINE.cores,
    memory: ONE_MACHINE.memoryGib,
    disk: ONE_MACHINE.diskGb,
    one_machine: oneMachineTable(),
    remedies: table(['limit', 'removed by'], Object.entries(REMEDIES)),
    at_once: cost('readsAtOnce'),
    few_sales: FEW_SALES,
    fleets: fleetTable(),
    staging: stagingTable(),
    staged_row: shown(cost('stagedRowSeconds') * 1e6),
    assembled_row: shown(cost('assembledRowSeconds') * 1e6),
    even_workers: shown(cost('stagedRowSeconds') / cost('assembledRowSeconds')),
    storage: storageTable(),
    keep_reads: cost('keepReads'),
    keep_monthly: exact(cost('keepMonthly')),
    memory_sizes: memoryTable(),
    start_of_all: duration((ALL_ENTITIES * cost('startSeconds')) / 3600),
    gas_of_sale: dollars(gasDollarsPerSale()),
    calls: callsTable(),
    paid_calls: shown(paidCallsOf(ONE_MACHINE)),
    lookups: shown(cost('lookups')),
    lists: shown(cost('lists')),
    response_ms: cost('responseMs'),
    counties: COUNTIES,
    all_counties: exact(ALL_COUNTIES),
    platform_hours: duration(slowest),
    crawls: crawlTable(),
    loads: loadTable(),
    county_rows: shown(COUNTY_ROWS.real / COUNTIES),
    real_rows: shown(COUNTY_ROWS.real),
    unit_costs: costTable(),
  };
  const template = readFileSync(new URL('capacity.md.template', import.meta.url), 'utf8');
  return template.replaceAll(/\{\{(\w+)\}\}/gu, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`capacity.md.template: no value for {{${name}}}`);
    return String(value);
  });
}
