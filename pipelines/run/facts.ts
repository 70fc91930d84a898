/** The facts of a run for the manifest of its snapshot. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { duckVersion } from '../../lib/duck.ts';
import type { AssumptionSet } from '../../models/assumptions.ts';
import type { ModelResult } from '../../models/audit.ts';
import { auditsOf } from '../../models/contract.ts';
import { inputMacrosSql, macrosSql, type Model } from '../../models/index.ts';
import type { Manifest } from '../../models/manifest.ts';
import { VIEWS } from '../../models/views.ts';
import type { Clock } from '../clock.ts';
import type { SourceState } from '../ingest/source_state.ts';
import type { SoldLeads } from '../sold_leads.ts';
import type { SnapshotFacts } from './publish.ts';

const NOTICE = {
  sandbox:
    'Made-up data of the sandbox world: no property, owner, debt, auction or business in it is real. ' +
    'HUD rents of counties are real FY2026 figures, those of ZIPs are made up.',
  live: 'Public records as published; rents are HUD Fair Market Rents, a proxy and not a rent roll.',
} as const;

export interface RunFacts {
  readonly runId: string;
  readonly clock: Clock;
  readonly dataClock: Manifest['data_clock'];
  readonly previous: Manifest | null;
  readonly follows: Manifest | null;
  readonly assumptions: AssumptionSet;
  readonly sold: SoldLeads;
  readonly sources: readonly SourceState[];
  readonly models: readonly Model[];
  readonly results: readonly ModelResult[];
}

const manifestSource = ({ row, standing, latest }: SourceState): Manifest['sources'][number] => ({
  ...row,
  staged_run: standing?.run_id ?? null,
  staged_sha256: standing?.parquet?.sha256 ?? null,
  pages: standing?.pages.length ?? 0,
  traffic: latest?.traffic ?? { requests: 0, not_modified: 0, bytes: 0, retries: 0 },
  dropped_files: [...(standing?.dropped_files ?? [])],
});

export async function snapshotFacts(run: RunFacts): Promise<SnapshotFacts> {
  const audits = run.results.flatMap((result) => result.audits);
  return {
    run_id: run.runId,
    as_of: run.clock.asOf,
    generated_at: run.clock.observedAt(),
    data_clock: run.dataClock,
    notice: NOTICE[run.dataClock],
    assumption_set_id: run.assumptions.id,
    previous: run.previous?.run_id ?? null,
    follows: run.follows?.run_id ?? null,
    sold_leads: [...run.sold.leads],
    sold_properties: [...run.sold.properties],
    versions: {
      dealfeed: await dealfeedVersion(),
      node: process.versions.node,
      duckdb: duckVersion(),
      ...hashModels(run.models),
    },
    sources: run.sources.map(manifestSource),
    models: run.results.map((result) => ({ name: result.name, layer: result.layer, rows: result.rows })),
    audits: audits.map((audit) => ({
      name: audit.name,
      about: audit.about,
      blocking: audit.blocking,
      failing_rows: audit.failing,
    })),
  };
}

/** Hash of all schemas, and of all SQL. Equal hashes mean equal logic. */
export function hashModels(models: readonly Model[]): { schema: string; models: string } {
  const published = models.filter((model) => model.contract.publish);
  const sqlOf = (model: Model): string =>
    [model.name, model.sql, ...auditsOf(model).map((audit) => audit.sql)].join('\n');
  const hash = (parts: readonly string[]): string => createHash('sha256').update(parts.join('\u0000')).digest('hex');
  return {
    schema: hash(published.map((model) => JSON.stringify([model.name, model.contract.record.columns]))),
    models: hash([macrosSql(), inputMacrosSql(), ...models.map(sqlOf), ...VIEWS.map(({ sql }) => sql)]),
  };
}

async function dealfeedVersion(): Promise<string> {
  const content = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(content) as { version: string }).version;
}
