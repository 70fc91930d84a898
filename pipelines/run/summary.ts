/** What a run prints when it is done: what was read, refused and carried, what was published, what to do next. */
import { inFolder } from '../../lib/settings.ts';
import type { RunResult } from './run.ts';
import { awaitsOperator, waitsFor, type SourceState } from '../ingest/source_state.ts';

export const number = (n: number): string => n.toLocaleString('en-US');
/** Bytes for people. */
export const bytesShort = (n: number): string =>
  n < 10_000 ? `${n} B` : n < 10_000_000 ? `${(n / 1000).toFixed(0)} kB` : `${(n / 1_000_000).toFixed(1)} MB`;

/** Columns padded to their widest cell; the first is left-aligned, the others right-aligned where they are numbers. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((h, i) => Math.max(h.length, ...rows.map((r) => (r[i] ?? '').length)));
  const numeric = header.map((_, i) => rows.every((r) => /^[-\d.,]*( (B|kB|MB|d))?$/.test(r[i] ?? '')));
  const line = (cells: readonly string[]): string =>
    `  ${cells.map((c, i) => (numeric[i] ? c.padStart(widths[i] ?? 0) : c.padEnd(widths[i] ?? 0))).join('  ')}`.trimEnd();
  return [line(header), ...rows.map(line)];
}

function accounting(sources: readonly SourceState[]): string[] {
  const rows = sources.map(({ row, latest }) => [
    row.source,
    row.status,
    number(latest?.traffic.requests ?? 0),
    bytesShort(latest?.traffic.bytes ?? 0),
    number(row.rows_in),
    number(row.rows_out),
    number(row.rows_rejected),
    number(row.rows_merged),
    number(row.rows_carried),
    row.age_days === null ? '-' : `${row.age_days} d`,
  ]);
  const sum = (pick: (s: SourceState) => number): string => number(sources.reduce((total, s) => total + pick(s), 0));
  return [
    'Sources (rows in = rows out + rejected + merged; carried rows come from an earlier read)',
    ...table(
      ['source', 'state', 'requests', 'bytes', 'rows in', 'rows out', 'rejected', 'merged', 'carried', 'age'],
      [
        ...rows,
        [
          'all',
          '',
          sum((s) => s.latest?.traffic.requests ?? 0),
          bytesShort(sources.reduce((t, s) => t + (s.latest?.traffic.bytes ?? 0), 0)),
          sum((s) => s.row.rows_in),
          sum((s) => s.row.rows_out),
          sum((s) => s.row.rows_rejected),
          sum((s) => s.row.rows_merged),
          sum((s) => s.row.rows_carried),
          '',
        ],
      ],
    ),
  ];
}

function rejects(sources: readonly SourceState[]): string[] {
  const lines = sources.flatMap(({ spec, standing }) => {
    const byReason = Map.groupBy(standing?.rejects ?? [], (r) => r.reason);
    return [...byReason].map(
      ([reason, rows]) => `  ${spec.name}: ${number(rows.length)} ${reason}, such as: ${rows[0]?.detail ?? ''}`,
    );
  });
  return lines.length === 0
    ? []
    : ['', 'Rejected rows, with the first of each reason (all of them: table rejects)', ...lines];
}

/** Warnings of a run, a line each: sources that could not be read, audits that found rows. */
export function warningsOf(result: RunResult): string[] {
  const sources = result.sources
    .filter(({ row }) => row.status !== 'good' && row.status !== 'not_due' && waitsFor(row) === null)
    .map(({ row }) => {
      const age =
        row.age_days === null
          ? 'it has no earlier rows'
          : `its rows of ${row.last_good_at?.slice(0, 10) ?? ''} stay (${row.age_days} d old)`;
      if (row.reason === null) return `${row.source} has never been read, and was not to be read in this run`;
      return `${row.source} ${row.status}: ${row.reason}: ${row.detail ?? ''}${row.page_url === null ? '' : ` [${row.page_url}]`}; ${age}`;
    });
  const audits = result.models
    .flatMap((m) => m.audits)
    .filter((a) => a.failing > 0)
    .map(
      (a) =>
        `audit ${a.name} found ${number(a.failing)} rows${a.blocking ? ' and blocks publication' : ''}: ${a.about}; see ${result.failuresFolder}/${a.name}.json`,
    );
  return [...sources, ...audits];
}

/** The whole summary of a run, as lines. */
export function summaryOf(result: RunResult, dataDir: string): string[] {
  const warnings = warningsOf(result);
  const audits = result.models.flatMap((m) => m.audits);
  const lines = ['', ...accounting(result.sources), ...rejects(result.sources)];
  const waiting = (reason: string): string =>
    result.sources
      .filter(({ row }) => awaitsOperator(row) && row.reason === reason)
      .map(({ row }) => row.source)
      .join(', ');
  if (waiting('no_file')) lines.push('', `Waiting for a file in the drop folder: ${waiting('no_file')}`);
  if (waiting('no_permission'))
    lines.push(
      '',
      `Waiting for their owners' permission, to be stated in PERMITTED, or for a file in the drop folder: ${waiting('no_permission')}`,
    );
  lines.push(
    '',
    `Models: ${result.models.length} built; ${audits.length} audits, ${audits.filter((a) => a.failing > 0).length} found rows`,
  );
  if (result.changes)
    lines.push('', `Changes since ${result.changes.since}`, ...result.changes.lines.map((l) => `  ${l}`));
  if (warnings.length > 0) lines.push('', `Warnings (${warnings.length})`, ...warnings.map((w) => `  ${w}`));
  const { manifest } = result;
  if (!manifest) {
    lines.push(
      '',
      `NOT PUBLISHED: ${result.blocked.length} blocking audit${result.blocked.length === 1 ? '' : 's'} failed. The snapshot before stays current.`,
    );
    return lines;
  }
  lines.push(
    '',
    `Published ${dataDir}/snapshots/${manifest.run_id}${result.current ? '' : ' (a snapshot of a later day stays current)'}`,
    ...table(
      ['table', 'rows', 'bytes', 'sha256'],
      Object.entries(manifest.tables).map(([name, t]) => [
        name,
        number(t.rows),
        bytesShort(t.bytes),
        t.sha256.slice(0, 16),
      ]),
    ),
  );
  const next = [
    ['make serve', 'serve the snapshot, paid with test money'],
    ["make buy URL='/api/deals?state=OH'", 'pay for one call and see the answer (while it serves)'],
    ['make sql', 'ask the snapshot in SQL'],
    ['make status', 'what is fresh, late or broken'],
  ].map(([command, does]) => [`${command ?? ''}${inFolder(dataDir)}`, does ?? '']);
  const width = Math.max(...next.map(([command]) => command?.length ?? 0));
  lines.push(
    '',
    manifest.notice,
    '',
    'Next',
    ...next.map(([command, does]) => `  ${command?.padEnd(width) ?? ''}      ${does ?? ''}`),
  );
  return lines;
}
