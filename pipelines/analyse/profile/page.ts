/** The profile report: one self-contained HTML file, with the figures of each plot as a table. */
import type { Manifest } from '../../../models/manifest.ts';
import { bytesShort, number } from '../../format.ts';
import type { Diff } from '../diff/diff.ts';
import { changesPlot, PLOTS } from './charts.ts';
import type { FactName, Facts, Row } from './facts.ts';
import { STYLE } from './style.ts';
import { renderSvg } from './svg.ts';

const escapeHtml = (value: unknown): string =>
  String(value ?? '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** Rows shown in the table of a plot. */
const MAX_ROWS = 60;

/** Title and description of each plot, in the order of the page. */
const FIGURES: readonly (readonly [name: FactName, title: string, about: string])[] = [
  [
    'gap_by_metro',
    'Claims against HUD rents, by metro',
    'The median gap between the cap rate that brokers claim and the one that HUD rents support, with the middle half ' +
      'of deals; the number is the number of deals. Right of zero the broker claims more. Active deals whose rent is ' +
      'a usable proxy; metros with three or more.',
  ],
  [
    'dscr_against_price',
    'Debt coverage against price',
    'Each active deal by asking price and coverage under HUD rents and the declared loan. Above the dashed line a ' +
      "deal meets a lender's 1.25. The rental path also requires a cap rate, so a deal above the line may be Pass.",
  ],
  [
    'score_parts',
    'Parts of the deal score',
    'Active deals by tens of deal_score, with the average points of its four parts; the number on top is the number ' +
      'of deals.',
  ],
  [
    'confidence',
    'Confidence of the records',
    'Active deals by confidence_score: how much of the record is computed or verified rather than assumed.',
  ],
  [
    'coverage_by_county',
    'Coverage and age, by county',
    "Rows in use and their age in days. Fresh: within the source's cadence; earlier rows: the latest read failed and " +
      'the rows of an earlier read are in use; late: older than the cadence.',
  ],
  ['auctions_by_week', 'Upcoming sheriff sales, by week', 'Scheduled sales from the Monday of each week.'],
  ['lead_scores', 'Leads by score', 'Leads by fives of lead_score.'],
];

const formatCell = (value: unknown): string =>
  typeof value === 'number'
    ? `<td class="n">${Number.isInteger(value) ? number(value) : value.toFixed(2)}</td>`
    : `<td>${escapeHtml(value ?? '·')}</td>`;

/** The rows of a plot as a table that opens on demand. */
function formatRows(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const count = rows.length > MAX_ROWS ? `, ${MAX_ROWS} of ${number(rows.length)}` : '';
  const head = columns.map((column) => `<th scope="col">${escapeHtml(column.replaceAll('_', ' '))}</th>`).join('');
  const body = rows
    .slice(0, MAX_ROWS)
    .map((row) => `<tr>${columns.map((column) => formatCell(row[column])).join('')}</tr>`)
    .join('');
  const table = `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
  return `<details><summary>The figures${count}</summary><div class="scroll">${table}</div></details>`;
}

/** A plot with its rows below it. */
const formatPlot = (svg: string, rows: readonly Row[]): string =>
  `<div class="plot" tabindex="0">${svg}</div>${formatRows(rows)}`;

function formatSection(id: string, title: string, about: string, body: string): string {
  const heading = `<h2 id="${id}">${escapeHtml(title)}</h2><p>${escapeHtml(about)}</p>`;
  return `<section aria-labelledby="${id}">${heading}${body}</section>`;
}

async function formatFigure([name, title, about]: (typeof FIGURES)[number], facts: Facts): Promise<string> {
  const rows = facts[name];
  if (rows.length === 0) return formatSection(name, title, about, '<p>This snapshot has no rows for this plot.</p>');
  const svg = await renderSvg(PLOTS[name](rows), `${title}. ${about}`);
  return formatSection(name, title, about, formatPlot(svg, rows));
}

const CHANGES_TITLE = 'Changes since the previous snapshot';

async function formatChanges(diff: Diff | null): Promise<string> {
  if (!diff) return formatSection('changes', CHANGES_TITLE, 'This is the first snapshot of its folder.', '');
  const about =
    `Added, changed and removed rows of each table since ${diff.a.run_id}. Fields that change every day by ` +
    'themselves are left out.';
  const rows = diff.tables
    .filter((table) => table.added + table.changed + table.removed > 0)
    .map(({ table, added, changed, removed }) => ({ table, added, changed, removed }));
  if (rows.length === 0) return formatSection('changes', CHANGES_TITLE, about, '<p>Nothing changed.</p>');
  const svg = await renderSvg(changesPlot(rows), `${CHANGES_TITLE}. ${about}`);
  return formatSection('changes', CHANGES_TITLE, about, formatPlot(svg, rows));
}

const HEADLINE_TABLES = ['deals', 'leads', 'signals', 'auctions', 'filings', 'rejects'];

/** Headline figures: rows of each table, and how many were added or removed. */
function formatHeadline(manifest: Manifest, diff: Diff | null): string {
  const items = HEADLINE_TABLES.flatMap((name) => {
    const table = manifest.tables[name];
    if (!table) return [];
    const change = diff?.tables.find((each) => each.table === name);
    const delta = change ? change.rows[1] - change.rows[0] : 0;
    const note = change
      ? `${delta > 0 ? '+' : ''}${number(delta)} since ${escapeHtml(diff?.a.as_of)}`
      : bytesShort(table.bytes);
    return [`<div><dt>${escapeHtml(name)}</dt><dd>${number(table.rows)}<small>${note}</small></dd></div>`];
  });
  return `<dl>${items.join('')}</dl>`;
}

/** Day, assumptions, audits and hash of the snapshot. */
function formatFacts(manifest: Manifest): string {
  const passed = number(manifest.audits.filter((audit) => audit.blocking).length);
  const failing = manifest.audits.filter((audit) => audit.failing_rows > 0);
  const warnings =
    failing.length === 0
      ? ', no warnings'
      : `; warnings: ${escapeHtml(failing.map((audit) => `${audit.name} (${audit.failing_rows} rows)`).join(', '))}`;
  return [
    `As of ${escapeHtml(manifest.as_of)}, underwritten with assumption set ${escapeHtml(manifest.assumption_set_id)}.`,
    `${passed} blocking audits passed${warnings}.`,
    `Database <code>${escapeHtml(manifest.database.sha256.slice(0, 16))}</code>.`,
  ].join(' ');
}

/**
 * The whole page.
 * @param diff changes since the previous snapshot; null if there is none
 */
export async function profilePage(manifest: Manifest, facts: Facts, diff: Diff | null): Promise<string> {
  const sections: string[] = [];
  for (const figure of FIGURES) sections.push(await formatFigure(figure, facts));
  sections.push(await formatChanges(diff));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dealfeed profile of ${escapeHtml(manifest.run_id)}</title>
<style>${STYLE}</style>
</head>
<body><main><h1>Snapshot ${escapeHtml(manifest.run_id)}</h1>
<p>${formatFacts(manifest)}</p>
<p class="notice">${escapeHtml(manifest.notice)}</p>
${formatHeadline(manifest, diff)}
${sections.join('\n')}
</main></body></html>
`;
}
