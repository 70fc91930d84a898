/** A source whose rows are readable and join nothing is degraded, and everybody who looks at it sees that. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject } from '../../../lib/json.ts';
import { checkHealth } from '../../../pipelines/operate/health.ts';
import type { RunResult } from '../../../pipelines/run/run.ts';
import type { Candidate, SourceSpec } from '../../../sources/contract.ts';
import { parseJson } from '../../../sources/bodies.ts';
import { loadSources } from '../../../sources/index.ts';
import { published, runDay } from '../runs.ts';
import { afterFirstDay, FIRST_DAY } from '../starting_points.ts';

/** The adapter with a value of each of its rows changed. */
const withValue =
  (name: string, field: string, value: (row: Readonly<Record<string, unknown>>, raw: unknown) => unknown) =>
  (spec: SourceSpec): SourceSpec =>
    spec.name !== name
      ? spec
      : {
          ...spec,
          parse: (page) =>
            (spec.parse(page) as readonly Candidate[]).map((row) =>
              'values' in row
                ? {
                    ...row,
                    values: { ...row.values, [field]: value(row.values, parseJson(row.raw, 'the row', page.url)) },
                  }
                : row,
            ),
        };

const degraded = (result: RunResult): string[] =>
  result.sources.filter(({ row }) => row.status === 'degraded').map(({ row }) => `${row.source}: ${row.detail ?? ''}`);

/** A fault in each of two counties, and the sources that it degrades. */
const FAULTS = [
  {
    what: 'a whole address in the field of the street',
    changed: withValue('oh_cuyahoga_tax', 'street', (_row, raw) => isObject(raw) && raw['par_addr_all']),
    found: [/^oh_cuyahoga_tax: 0\.00 % of \d+ rows have a street address, expected at least 70\.00 %/u],
  },
  {
    what: "a layer keyed by another number than the Auditor's",
    changed: withValue('oh_hamilton_parcels', 'parcel_raw', (row) => `0${String(row['parcel_raw']).slice(0, 11)}`),
    found: [
      /^oh_hamilton_parcels: 0\.00 % of \d+ rows have a parcel in the other source of the county, expected/u,
      /^oh_hamilton_tax: \d\.\d\d % of \d+ rows have a street address, .*; 0\.00 % of \d+ rows have a parcel/u,
    ],
  },
] as const;

test(`${FAULTS.map(({ what }) => what).join(', and ')} degrade the sources`, async () => {
  const { layout, world } = await afterFirstDay();
  const result = await runDay({
    layout,
    world,
    day: FIRST_DAY,
    only: ['oh_cuyahoga_tax', 'oh_hamilton_parcels'],
    tables: ['sources'],
    changed: (spec) => FAULTS.reduce((changed, fault) => fault.changed(changed), spec),
  });
  const found = FAULTS.flatMap((fault) => fault.found);
  const lines = degraded(result);
  assert.equal(lines.length, found.length, lines.join('\n'));
  for (const [i, pattern] of found.entries()) assert.match(lines[i] ?? '', pattern);

  const names = lines.map((line) => line.split(':')[0]);
  const rows = await published(layout, result.runId, 'sources', "WHERE status = 'degraded' ORDER BY source");
  assert.deepEqual(
    rows.map(({ source, reason }) => [source, reason]),
    names.map((name) => [name, 'low_join_rate']),
  );
  const health = await checkHealth(layout, await loadSources());
  assert.deepEqual(
    health.troubles.filter(({ kind }) => kind === 'source_degraded').map(({ subject, runbook }) => [subject, runbook]),
    names.map((name) => [name, 'docs/runbook.md#low_join_rate']),
  );
  assert.deepEqual(
    health.sources.filter(({ state }) => state === 'DEGRADED').map(({ source }) => source),
    names,
  );
});
