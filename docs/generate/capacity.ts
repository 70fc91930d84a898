/** docs/capacity.md: what one machine does, and several, at each step from the default world to every county. */
import { readFileSync } from 'node:fs';
import {
  bottleneckOf,
  buildHours,
  buildMemoryGib,
  exceeded,
  firstLoadHours,
  gasDollarsPerSale,
  limitsOf,
  monthlyDollars,
  paidCallsOf,
  serverMemoryGib,
  snapshotBytes,
  stagingHours,
  storageOf,
  useOf,
} from '../../bench/capacity/capacity.ts';
import { isMeasured } from '../../bench/capacity/figures.ts';
import {
  ALL_ENTITIES,
  CALL_STEPS,
  COUNTIES,
  CRAWLS,
  FEW_CALLS,
  ONE_FLEET,
  ONE_MACHINE,
  STEPS,
  type Step,
} from '../../bench/capacity/steps.ts';
import { cost, COUNTY_ROWS, UNIT_COSTS, type UnitCost } from '../../bench/capacity/unit_costs.ts';
import { cell, table } from '../../lib/markdown.ts';
import { dollars, duration, shown, size, times } from './capacity_figures.ts';

const loadTable = (): string =>
  table(
    ['step', 'staged rows of counties', 'entities', 'listings', 'sales a day'],
    [...STEPS, ...CALL_STEPS].map(({ name, load }) => [
      name,
      shown(load.propertyRows),
      shown(load.entities),
      shown(load.listings),
      shown(load.paidCallsPerSecond * 86_400),
    ]),
  );

const bottleneck = (step: Step): string => {
  const first = bottleneckOf(limitsOf(step.load, ONE_FLEET));
  return `**${first.part}**, ${times(first)}`;
};

const remedyTable = (): string =>
  table(
    ['limit', 'removed by'],
    limitsOf(STEPS[0].load, ONE_FLEET).map(({ part, remedy }) => [part, cell(remedy)]),
  );

/** The parts over their limit after the first, on one machine. */
const others = ({ load }: Step): string => {
  const limits = limitsOf(load, ONE_FLEET);
  const first = bottleneckOf(limits);
  const over = exceeded(limits).filter(({ part }) => part !== first.part);
  return (
    over
      .toSorted((a, b) => useOf(b) - useOf(a))
      .map((l) => `${l.part} ${times(l)}`)
      .join(', ') || 'none'
  );
};

const oneMachineTable = (): string =>
  table(
    ['step', 'crawl', 'first load of the registers', 'build', 'memory of the build', 'first bottleneck', 'also above'],
    STEPS.map((step) => [
      step.name,
      duration(step.load.crawlHours),
      duration(firstLoadHours(step.load)),
      duration(buildHours(step.load)),
      `${shown(buildMemoryGib(step.load))} GiB`,
      cell(bottleneck(step)),
      others(step),
    ]),
  );

const WORKERS = [1, 2, 4, 8, 16, 64] as const;

const stagingTable = (): string =>
  table(
    ['step', 'rows', ...WORKERS.map((workers) => (workers === 1 ? '1 worker' : `${workers} workers`))],
    STEPS.map(({ name, load }) => [
      name,
      shown(load.propertyRows + load.entities),
      ...WORKERS.map((workers) => duration(stagingHours(load, workers))),
    ]),
  );

const storageTable = (): string =>
  table(
    [
      'step',
      'pages, snapshots and sales a month',
      'kept in the end',
      'one snapshot',
      'disk of a run',
      'server: memory, start',
    ],
    STEPS.map(({ name, load }) => {
      const { keptBytes, bytesPerMonth, workingBytes } = storageOf(load);
      const { parquet, filings, database } = snapshotBytes(load);
      const start = duration((load.entities * cost('startSeconds')) / 3600);
      return [
        name,
        size(bytesPerMonth),
        size(keptBytes),
        size(parquet + filings + database),
        size(workingBytes),
        `${shown(serverMemoryGib(load))} GiB, ${start}`,
      ];
    }),
  );

const remaining = ({ placedLoad, fleet }: Step): string =>
  exceeded(limitsOf(placedLoad, fleet))
    .map((limit) => `**${limit.part}**, ${times(limit)}`)
    .join('; ') || 'nothing';

const ledgerName = ({ fleet }: Step): string => (fleet.ledger === 'sqlite' ? 'SQLite' : 'PostgreSQL');

const fleetTable = (steps: readonly Step[]): string =>
  table(
    [
      'step',
      'sources at once',
      'crawl',
      'machine of the runs',
      'server',
      'old files',
      'machines',
      'store',
      'gas',
      'still above its limit',
    ],
    steps.map((step) => {
      const { placedLoad, places, fleet } = step;
      const { machines, storage, gas } = monthlyDollars(placedLoad, fleet);
      return [
        step.name,
        String(places),
        duration(placedLoad.crawlHours),
        `${number(fleet.build.memoryGib)} GiB, ${number(fleet.build.diskGb)} GB`,
        `${fleet.server.memoryGib} GiB`,
        fleet.hasStore ? '`STORE`' : 'on its disk',
        dollars(machines),
        dollars(storage),
        dollars(gas),
        remaining(step),
      ];
    }),
  );

const callFleetTable = (): string =>
  table(
    ['step', 'servers and keys', '`GAS_PER_DAY` of each', 'ledger', 'machines', 'gas', 'still above its limit'],
    CALL_STEPS.map((step) => {
      const { machines, gas } = monthlyDollars(step.placedLoad, step.fleet);
      return [
        step.name,
        String(step.fleet.servers),
        number(step.fleet.gasPerDay),
        ledgerName(step),
        dollars(machines),
        dollars(gas),
        remaining(step),
      ];
    }),
  );

const callsTable = (): string =>
  table(
    ['step', 'first bottleneck of one machine', 'also above', 'ledger grows in a month'],
    CALL_STEPS.map((step) => [
      step.name,
      cell(bottleneck(step)),
      others(step),
      size(30 * 86_400 * step.load.paidCallsPerSecond * cost('saleBytes')),
    ]),
  );

const crawlTable = (): string =>
  table(
    ['counties', 'a site is', 'sites', 'sources', 'requests', 'sources at once', 'simulated', 'bound', 'busiest site'],
    CRAWLS.map(({ scale, sites, reads, requests, places, hours, leastHours, busiest, busiestHours }) => [
      shown(scale.counties),
      `a ${scale.sites}`,
      sites.toLocaleString('en-US'),
      reads.toLocaleString('en-US'),
      requests.toLocaleString('en-US'),
      String(places),
      duration(hours),
      duration(leastHours),
      `${busiest}, ${duration(busiestHours)}`,
    ]),
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

const number = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));

/** A small value in a unit in which it is not a long fraction. */
function valueText({ value, unit }: UnitCost): string {
  if (value >= 0.001) return `${number(value)} ${unit}`;
  const small: Readonly<Record<string, readonly [factor: number, unit: string]>> = {
    s: [1e6, 'µs'],
    ms: [1e6, 'ns'],
    GiB: [2 ** 30, 'bytes'],
  };
  const [factor, name] = small[unit] ?? [1, unit];
  return `${number(value * factor)} ${name}`;
}

const costTable = (): string =>
  table(
    ['unit cost', 'value', 'basis', 'from'],
    Object.values(UNIT_COSTS).map((unit) => [
      cell(unit.what),
      valueText(unit),
      unit.basis === 'assumed' ? '**assumed**' : unit.basis,
      cell(unit.source),
    ]),
  );

const unmeasured = (): string => {
  const missing = (
    [
      ['large', 'models at 100×', 'builds of 100 times the listings'],
      ['queries_large', 'lists', 'lists and lookups at 100 times the listings'],
      ['soak', '200,000 requests', 'a server over a long time'],
    ] as const
  )
    .filter(([measure, what]) => !isMeasured(measure, what))
    .map(([measure, , about]) => `\`${measure}\` (${about})`);
  return missing.length === 0 ? 'Nothing of `make bench` is missing.' : `Of \`make bench\`: ${missing.join(', ')}.`;
};

/** @throws Error naming a placeholder of the template that has no value */
export function capacityPage(): string {
  const { cores, memoryGib, diskGb } = ONE_MACHINE;
  const slowest = CRAWLS.toSorted((a, b) => b.busiestHours - a.busiestHours)[0];
  const values: Readonly<Record<string, string | number>> = {
    cores,
    memory: memoryGib,
    disk: diskGb,
    one_machine: oneMachineTable(),
    remedies: remedyTable(),
    at_once: cost('readsAtOnce'),
    few_sales: shown(FEW_CALLS * 86_400),
    fleets: fleetTable(STEPS),
    staging: stagingTable(),
    staged_row: shown(cost('stagedRowSeconds') * 1e6),
    assembled_row: shown(cost('assembledRowSeconds') * 1e6),
    even_workers: shown(cost('stagedRowSeconds') / cost('assembledRowSeconds')),
    storage: storageTable(),
    keep_reads: cost('keepReads'),
    keep_monthly: number(cost('keepMonthly')),
    memory_sizes: memoryTable(),
    start_of_all: duration((ALL_ENTITIES * cost('startSeconds')) / 3600),
    gas_of_sale: dollars(gasDollarsPerSale()),
    calls: callsTable(),
    call_fleets: callFleetTable(),
    paid_calls: shown(paidCallsOf(ONE_MACHINE)),
    lookups: shown(cost('lookups')),
    lists: shown(cost('lists')),
    response_ms: cost('responseMs'),
    counties: COUNTIES,
    all_counties: number(slowest?.scale.counties ?? 0),
    platform_hours: duration(slowest?.busiestHours ?? 0),
    crawls: crawlTable(),
    loads: loadTable(),
    county_rows: shown(COUNTY_ROWS.real / COUNTIES),
    real_rows: shown(COUNTY_ROWS.real),
    unit_costs: costTable(),
    not_yet: unmeasured(),
  };
  const template = readFileSync(new URL('capacity.md.template', import.meta.url), 'utf8');
  return template.replaceAll(/\{\{(\w+)\}\}/gu, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`docs/generate/capacity.md.template: no value for {{${name}}}`);
    return String(value);
  });
}
