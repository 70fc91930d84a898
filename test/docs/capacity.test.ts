/** docs/capacity.md: its model gives back what was measured, grows with its load, and names what removes a limit. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { benchFigure, figureIn } from '../../docs/generate/capacity/figures.ts';
import {
  buildHours,
  buildMemoryGib,
  firstLoadHours,
  fleetFor,
  keptSnapshotBytes,
  limitsOf,
  monthlyDollars,
  REMEDIES,
  storageOf,
  type Load,
} from '../../docs/generate/capacity/needs.ts';
import { capacityPage } from '../../docs/generate/capacity/page.ts';
import {
  ALL_COUNTIES,
  ALL_ENTITIES,
  CALL_STEPS,
  CRAWLS,
  ONE_MACHINE,
  STEPS,
} from '../../docs/generate/capacity/steps.ts';
import { cost, COUNTY_ROWS, UNIT_COSTS } from '../../docs/generate/capacity/unit_costs.ts';

const FILINGS = 3_000_000;
const NOTHING: Load = {
  listings: 0,
  propertyRows: 0,
  entities: 0,
  paidCallsPerSecond: 0,
  siteHours: 0,
};
const { load: WORLD, one: ONE } = STEPS[0];
const someLoad: fc.Arbitrary<Load> = fc.record({
  listings: fc.nat(1_000_000),
  propertyRows: fc.nat(300_000_000),
  entities: fc.nat(100_000_000),
  paidCallsPerSecond: fc.double({ min: 0, max: 2000, noNaN: true }),
  siteHours: fc.double({ min: 0, max: 100, noNaN: true }),
});
const isNear = (value: number, expected: number, share: number): void =>
  assert.ok(Math.abs(value / expected - 1) <= share, `${value}, expected ${expected} within ${share * 100} %`);

describe('figures', () => {
  const page = [
    '| a | speed of it, on a day |  | ≤ 3 s | 1,234 s |  |  | yes | 3 | 2026-11-22, 2 cores |',
    '| a | speed of that |  | ≤ 3 s |  |  |  |  |  | not yet |',
  ].join('\n');

  test('are read from the table of `make bench` with their unit, aim and day', () => {
    assert.deepEqual(benchFigure('a', 'speed of it', page), {
      value: 1234,
      unit: 's',
      aim: 3,
      measuredOn: '2026-11-22, 2 cores',
    });
  });

  test('that are missing, ambiguous or not measured yet are refused', () => {
    assert.throws(() => benchFigure('b', 'speed', page), /0 lines of b: speed/);
    assert.throws(() => benchFigure('a', 'speed', page), /2 lines of a: speed/);
    assert.throws(() => benchFigure('a', 'speed of that', page), /is not measured yet/);
    assert.throws(() => figureIn('docs/ledger.md', /never written (\d+)/u), /docs\/ledger.md has no figure/);
  });

  test('are positive, and each names where it is from', () => {
    for (const [name, { value, source, unit }] of Object.entries(UNIT_COSTS)) {
      assert.ok(Number.isFinite(value) && value > 0, `${name} is ${value}`);
      assert.ok(source.length > 5 && unit.length > 0, name);
    }
  });
});

describe('at the sizes that were measured, the model gives the measured figures', () => {
  const register = { ...NOTHING, entities: FILINGS };

  test('a register: first load, day and memory', () => {
    isNear(firstLoadHours(register) * 3600, benchFigure('colorado', 'first load').value, 1e-9);
    isNear(buildHours(register) * 3600 - cost('runSeconds'), benchFigure('colorado', 'the next day').value, 1e-9);
    const peak = benchFigure('colorado', 'peak memory of the day').value;
    isNear(buildMemoryGib(register) - cost('processGib'), peak, 1e-9);
  });

  test('all sources at their real size: time and memory', () => {
    const load = { ...NOTHING, propertyRows: COUNTY_ROWS.real };
    const page = 'docs/performance/README.md';
    isNear(buildHours(load) * 3600 - cost('runSeconds'), figureIn(page, /The build takes ([\d.]+) s/u), 1e-9);
    isNear(buildMemoryGib(load) - cost('processGib'), figureIn(page, /and ([\d.]+) GiB at its peak/u), 1e-9);
  });

  test('snapshots: one, and all that 121 days keep, within a sixth of docs/operating.md', () => {
    const page = 'docs/operating.md';
    for (const [load, row] of [
      [WORLD, 'default world [^|]*'],
      [{ ...WORLD, entities: FILINGS }, '3,000,000 filings, computed from [\\d,]+'],
    ] as const) {
      const { snapshot } = storageOf(load);
      isNear(snapshot, figureIn(page, new RegExp(`${row} \\| ([\\d.]+) MB`, 'u')) * 1e6, 1 / 6);
      const kept = figureIn(page, new RegExp(`${row} \\| [^|]* \\| ([\\d.]+) GB`, 'u')) * 1e9;
      isNear(keptSnapshotBytes(load, 121), kept, 1 / 6);
    }
  });
});

describe('any load', () => {
  const growing = ['listings', 'propertyRows', 'entities', 'paidCallsPerSecond', 'siteHours'] as const;

  test('that grows lowers no limit’s use, no bytes and no dollars', () => {
    fc.assert(
      fc.property(someLoad, fc.constantFrom(...growing), (load, name) => {
        const larger = { ...load, [name]: load[name] * 2 };
        const before = new Map(limitsOf(load, ONE).map(({ part, use }) => [part, use]));
        for (const { part, use } of limitsOf(larger, ONE)) assert.ok(use >= (before.get(part) ?? 0), part);
        const sum = (of: Load): number => Object.values(storageOf(of)).reduce((a, b) => a + b, 0);
        assert.ok(sum(larger) >= sum(load));
        const [costs, more] = [monthlyDollars(load, ONE), monthlyDollars(larger, ONE)];
        assert.ok(more.gas >= costs.gas && more.storage >= costs.storage && more.machines >= costs.machines);
      }),
    );
  });

  test('on the fleet that is sized for it exceeds only what no part removes', () => {
    const without = ['the busiest site', 'places of the crawl', 'time of the build', 'search in names', 'the ledger'];
    const hours = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(someLoad, hours, (load, crawlHours) => {
        for (const { part, use } of limitsOf(load, fleetFor(load, ONE_MACHINE, crawlHours)))
          assert.ok(use <= 1 || without.includes(part), `${part}: ${use}`);
      }),
    );
  });

  test('has the limits that are used most first', () => {
    fc.assert(
      fc.property(someLoad, (load) => {
        const uses = limitsOf(load, ONE).map(({ use }) => use);
        assert.deepEqual(
          uses,
          uses.toSorted((a, b) => b - a),
        );
      }),
    );
  });
});

describe('the steps', () => {
  const bottleneckAt = (load: Load, changed: Partial<typeof ONE> = {}): string =>
    limitsOf(load, { ...ONE, ...changed })[0].part;

  test('start on one machine and end with all counties, all registers and a thousand sales a second', () => {
    assert.ok(limitsOf(WORLD, ONE)[0].use <= 1);
    assert.equal(STEPS.at(-1)?.load.entities, ALL_ENTITIES);
    assert.equal(Math.max(...CRAWLS.map(({ scale }) => scale.counties)), ALL_COUNTIES);
    assert.equal(CALL_STEPS.at(-1)?.load.paidCallsPerSecond, 1000);
  });

  test('of one kind of load have its own bottleneck', () => {
    assert.equal(bottleneckAt({ ...NOTHING, entities: ALL_ENTITIES }), 'search in names');
    assert.equal(bottleneckAt({ ...NOTHING, siteHours: 20 }, { crawlHours: 19 }), 'the busiest site');
    assert.equal(bottleneckAt({ ...NOTHING, paidCallsPerSecond: 1 }), 'gas of a day');
    assert.equal(bottleneckAt({ ...NOTHING, propertyRows: COUNTY_ROWS.real }), 'disk of the runs');
  });

  test('with a store need more memory next', () => {
    assert.equal(
      bottleneckAt({ ...NOTHING, propertyRows: COUNTY_ROWS.real }, { hasStore: true }),
      'memory of the build',
    );
  });

  test('are each in docs/capacity.md, with every limit and assumption', () => {
    const page = capacityPage();
    for (const { name } of [...STEPS, ...CALL_STEPS]) assert.ok(page.includes(`| ${name} |`), name);
    for (const part of Object.keys(REMEDIES)) assert.ok(page.includes(`| ${part} |`), part);
    const assumed = Object.values(UNIT_COSTS).filter(({ basis }) => basis === 'assumed');
    for (const { what } of assumed) assert.match(page, new RegExp(`\\| ${what} \\| [^|]* \\| \\*\\*assumed\\*\\* \\|`));
    assert.doesNotMatch(page, /NaN|undefined|Infinity|\{\{/);
  });
});
