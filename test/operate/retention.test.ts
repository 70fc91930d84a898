/** What the retention policy may remove, over random histories. prune.test.ts removes files of a real one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS } from '../../lib/time.ts';
import { compareRunIds, parseRunId, runIdOf } from '../../pipelines/layout.ts';
import {
  planRemoval,
  retainedSnapshots,
  type Inventory,
  type Plan,
  type ReadUnit,
  type SnapshotNeeds,
} from '../../pipelines/operate/prune.ts';

const START = Date.parse('2024-01-01T00:00:00Z');
const dayOf = (n: number): string => new Date(START + n * DAY_MS).toISOString().slice(0, 10);
const asOf = (runId: string): string => parseRunId(runId)?.asOf ?? '';
const DATABASES = ['dealfeed.duckdb', 'serving.sqlite', 'filings-0123456789abcdef.sqlite'];
const SOURCES = ['a_tax', 'b_sheriff', 'c_sos'] as const;
const sha = (n: number): string => n.toString(16).padStart(64, '0');

interface History {
  readonly inventory: Inventory;
  readonly needs: ReadonlyMap<string, SnapshotNeeds>;
}

/** A history as runs write one: every run may read some sources, and publishes what stood then, or nothing. */
const histories: fc.Arbitrary<History> = fc
  .record({
    runs: fc.array(
      fc.record({
        // Several runs of a day are as frequent as all gaps together: one may read what a failed build leaves behind.
        gap: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60 })),
        publishes: fc.boolean(),
        reads: fc.array(fc.constantFrom('good', 'good', 'good', 'quarantined', 'unavailable', 'none', 'killed'), {
          minLength: SOURCES.length,
          maxLength: SOURCES.length,
        }),
        pages: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 3 }),
        old: fc.integer({ min: 1, max: 40 }),
      }),
      { minLength: 1, maxLength: 25 },
    ),
    later: fc.integer({ min: 0, max: 500 }),
    strays: fc.array(fc.integer({ min: 41, max: 50 }), { maxLength: 3 }),
  })
  .map(({ runs, later, strays }) => {
    const snapshots: string[] = [];
    const reads: ReadUnit[] = [];
    const needs = new Map<string, SnapshotNeeds>();
    const all: string[] = [];
    let day = 0;
    for (const run of runs) {
      day += run.gap;
      const runId = runIdOf(dayOf(day), all.filter((id) => asOf(id) === dayOf(day)).length + 1);
      all.push(runId);
      for (const [i, source] of SOURCES.entries()) {
        const status = run.reads[i] ?? 'none';
        if (status === 'none') continue;
        reads.push({
          source,
          runId,
          status: status === 'killed' ? null : (status as ReadUnit['status']),
          objects: new Set(run.pages.map((p) => sha(p * 10 + i))),
        });
      }
      if (!run.publishes) continue;
      snapshots.push(runId);
      const standing = SOURCES.flatMap(
        (source) => reads.findLast((r) => r.source === source && r.status === 'good') ?? [],
      );
      // Rows of a snapshot name pages of their read, and of any read before: what is gone from its site keeps its page.
      const older = reads.filter((r) => r.status === 'good')[
        run.old % Math.max(1, reads.filter((r) => r.status === 'good').length)
      ];
      needs.set(runId, {
        reads: standing.map((r) => ({ source: r.source, runId: r.runId })),
        pages: [...standing, ...(older ? [older] : [])].flatMap((r) =>
          [...r.objects].map((sha256) => ({ source: r.source, sha256 })),
        ),
      });
    }
    const files = snapshots.flatMap((runId) => DATABASES.map((file) => ({ runId, file })));
    const objects = [...new Set([...reads.flatMap((r) => [...r.objects]), ...strays.map((s) => sha(s * 100))])];
    return {
      inventory: {
        today: dayOf(day + later),
        current: snapshots.at(-1) ?? null,
        snapshots,
        files,
        reads,
        runs: all,
        objects,
      },
      needs,
    };
  });

const decide = ({ inventory, needs }: History, keepDays: number): Plan =>
  planRemoval(inventory, keepDays, retainedSnapshots(inventory, keepDays), needs);

/** What is left after a plan. */
const leftOf = ({ inventory, ...rest }: History, plan: Plan): History => ({
  ...rest,
  inventory: {
    ...inventory,
    snapshots: inventory.snapshots.filter((s) => !plan.snapshots.includes(s)),
    reads: inventory.reads.filter((r) => !plan.reads.includes(r)),
    files: inventory.files.filter((f) => !plan.files.includes(f) && !plan.snapshots.includes(f.runId)),
    runs: inventory.runs.filter((r) => !plan.runs.includes(r)),
    objects: inventory.objects.filter((o) => !plan.objects.includes(o)),
  },
});

/** What the next build would take its history and its rows from, on a day. */
function nextBuild({ inventory }: History, day: string) {
  const upTo = inventory.reads.filter((r) => asOf(r.runId) <= day).sort((a, b) => compareRunIds(a.runId, b.runId));
  return {
    history: inventory.snapshots
      .filter((s) => asOf(s) < day)
      .sort(compareRunIds)
      .at(-1),
    rows: SOURCES.map((source) => upTo.findLast((r) => r.source === source && r.status === 'good')?.runId),
  };
}

describe('over random histories and values of KEEP_DAYS', () => {
  const holds = (name: string, property: (history: History, keepDays: number) => void): void => {
    test(name, () => {
      fc.assert(fc.property(histories, fc.integer({ min: 0, max: 600 }), property), { numRuns: 300 });
    });
  };

  holds(
    'the current snapshot stays, and the next build of today or any later day finds what it would have found',
    (history, keepDays) => {
      const left = leftOf(history, decide(history, keepDays));
      const { current } = history.inventory;
      if (current === null) return;
      assert.ok(left.inventory.snapshots.includes(current));
      for (const ahead of [0, 1, 40, 5000]) {
        const day = new Date(Date.parse(asOf(current)) + ahead * DAY_MS).toISOString().slice(0, 10);
        assert.deepEqual(nextBuild(left, day), nextBuild(history, day));
      }
    },
  );

  holds(
    'a snapshot that stays keeps its reads, and each page that its rows name with a request that fetched it',
    (history, keepDays) => {
      const left = leftOf(history, decide(history, keepDays)).inventory;
      for (const id of left.snapshots) {
        for (const need of history.needs.get(id)?.reads ?? [])
          assert.ok(left.reads.some((r) => r.source === need.source && r.runId === need.runId));
        for (const page of history.needs.get(id)?.pages ?? []) {
          assert.ok(left.objects.includes(page.sha256));
          assert.ok(left.reads.some((r) => r.source === page.source && r.objects.has(page.sha256)));
        }
      }
    },
  );

  holds('the snapshots in use and those of two days keep their files', (history, keepDays) => {
    const { inventory } = history;
    const plan = decide(history, keepDays);
    const { current, today, snapshots } = inventory;
    const left = leftOf(history, plan).inventory;
    const next = nextBuild(history, asOf(current ?? today)).history;
    const age = (id: string): number => (Date.parse(today) - Date.parse(asOf(id))) / DAY_MS;
    for (const { runId } of plan.files) {
      assert.ok(left.snapshots.includes(runId), 'the files of a removed snapshot go with it');
      assert.ok(![current, next, snapshots.at(-1)].includes(runId), runId);
      assert.ok(age(runId) > 2);
    }
  });

  holds('no kept read lacks a page, and no page is kept that nothing names', (history, keepDays) => {
    const left = leftOf(history, decide(history, keepDays)).inventory;
    const named = new Set(left.reads.flatMap((r) => [...r.objects]));
    assert.deepEqual(
      [...left.objects].sort(),
      [
        ...new Set([
          ...named,
          ...left.snapshots.flatMap((id) => history.needs.get(id)?.pages ?? []).map((p) => p.sha256),
        ]),
      ].sort(),
    );
  });

  holds('each day and month keeps its last snapshot, and no younger read is removed', (history, keepDays) => {
    const plan = decide(history, keepDays);
    const age = (id: string): number => (Date.parse(history.inventory.today) - Date.parse(asOf(id))) / DAY_MS;
    for (const id of plan.snapshots) {
      const laterSame = (length: number): boolean =>
        history.inventory.snapshots.some((s) => s.slice(0, length) === id.slice(0, length) && compareRunIds(s, id) > 0);
      assert.ok(age(id) > keepDays || laterSame(10), `${id} was the last of its day`);
      assert.ok(age(id) > 1100 || laterSame(7), `${id} was the last of its month`);
    }
    for (const { runId } of plan.reads) assert.ok(age(runId) > keepDays);
    for (const runId of plan.runs) assert.ok(age(runId) > keepDays);
  });

  holds(
    'doing it twice removes nothing more, and a greater KEEP_DAYS keeps whatever a smaller one keeps',
    (history, keepDays) => {
      const left = leftOf(history, decide(history, keepDays));
      assert.deepEqual(decide(left, keepDays), { snapshots: [], files: [], reads: [], runs: [], objects: [] });
      for (const id of decide(history, keepDays + 30).snapshots)
        assert.ok(decide(history, keepDays).snapshots.includes(id));
    },
  );

  test('every snapshot of the last week stays, and the current one of any age, with any KEEP_DAYS', () => {
    const today = '2026-11-20';
    const daysBefore = (age: number): string => new Date(Date.parse(today) - age * DAY_MS).toISOString().slice(0, 10);
    // Up to ten snapshots of a day, half of them of the last ten days.
    const ids = fc.uniqueArray(
      fc
        .tuple(
          fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 400 })),
          fc.integer({ min: 1, max: 10 }),
        )
        .map(([age, number]) => runIdOf(daysBefore(age), number)),
      { minLength: 1, maxLength: 60 },
    );
    const days = fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 2000 }));
    fc.assert(
      fc.property(ids, days, (unsorted, keepDays) => {
        const snapshots = unsorted.sort(compareRunIds);
        const current = snapshots[0] ?? null;
        const retained = retainedSnapshots({ current, snapshots, today }, keepDays);
        for (const id of snapshots) if (id === current || asOf(id) >= daysBefore(7)) assert.ok(retained.has(id), id);
      }),
      { numRuns: 300 },
    );
  });

  test('there is something to remove in many of them', () => {
    const removed = fc
      .sample(fc.tuple(histories, fc.integer({ min: 0, max: 600 })), { numRuns: 400, seed: 1 })
      .filter(([h, p]) => {
        const plan = decide(h, p);
        return [plan.snapshots, plan.files, plan.reads, plan.objects].every(({ length }) => length > 0);
      });
    assert.ok(removed.length > 50, String(removed.length));
  });
});
