/** The profile report: one HTML file that needs nothing else, with each plot's figures as a table behind it. */
import type { Manifest } from '../../../models/manifest.ts';
import { bytesShort, number } from '../../run/summary.ts';
import type { Diff } from '../diff.ts';
import { changesPlot, PLOTS, svgOf } from './charts.ts';
import type { FactName, Facts, Row } from './facts.ts';

const escaped = (v: unknown): string =>
  String(v ?? '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** Largest table that is shown whole behind a plot. */
const MOST_ROWS = 60;

/** Title of each plot, and what to see in it. In the order of the page. */
const FIGURES: readonly (readonly [name: FactName, title: string, about: string])[] = [
  [
    'gap_by_metro',
    'Claims against HUD rents, by metro',
    'The middle gap between the cap rate that brokers claim and the one that HUD rents support, with the middle half of deals; the number is that of the deals. Right of zero the broker claims more. Active deals whose rent is a usable proxy; metros with three or more.',
  ],
  [
    'dscr_against_price',
    'Debt coverage against price',
    "Each active deal by asking price and coverage under HUD rents and the declared loan. Above the dashed line a lender's 1.25 is met. The rental path also asks for a cap rate, so that a deal above the line may still be Pass.",
  ],
  [
    'score_parts',
    'What scores are made of',
    'Active deals by tens of deal_score, with the average points of its four parts; the number on top is that of the deals.',
  ],
  [
    'confidence',
    'How sure the records are',
    'Active deals by confidence_score: how much of the record is computed or verified rather than assumed.',
  ],
  [
    'coverage_by_county',
    'Coverage and age, by county',
    "Rows that stand and their age in days. Fresh: within the source's cadence; kept: the latest read failed and earlier rows stay; late: older than the cadence.",
  ],
  ['auctions_by_week', 'Sheriff sales to come, by week', 'Scheduled sales from the Monday of each week.'],
  ['lead_scores', 'Leads by score', 'Leads by fives of lead_score.'],
];

function tableOf(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const shown = rows.slice(0, MOST_ROWS);
  const cell = (v: unknown): string =>
    typeof v === 'number'
      ? `<td class="n">${Number.isInteger(v) ? number(v) : v.toFixed(2)}</td>`
      : `<td>${escaped(v ?? '·')}</td>`;
  return (
    `<details><summary>The figures${rows.length > MOST_ROWS ? `, ${MOST_ROWS} of ${number(rows.length)}` : ''}</summary><div class="scroll"><table><thead><tr>${columns.map((c) => `<th scope="col">${escaped(c.replaceAll('_', ' '))}</th>`).join('')}</tr></thead>` +
    `<tbody>${shown.map((row) => `<tr>${columns.map((c) => cell(row[c])).join('')}</tr>`).join('')}</tbody></table></div></details>`
  );
}

const figure = (id: string, title: string, about: string, body: string): string =>
  `<section aria-labelledby="${id}"><h2 id="${id}">${escaped(title)}</h2><p>${escaped(about)}</p>${body}</section>`;

const STYLE = `:root{color-scheme:light dark;--paper:#fff;--ink:#1c2230;--muted:#566073;--grid:#dfe3ea;--good:#12805c;--thin:#a86400;--bad:#c2333f;--one:#2b62c4;--two:#0b7d93;--three:#8a5bb5;--four:#b5466f;--card:#f6f7fa}
@media(prefers-color-scheme:dark){:root{--paper:#12151c;--ink:#e8ebf2;--muted:#a3adbf;--grid:#343b49;--good:#4fc79b;--thin:#e0a450;--bad:#f2767f;--one:#7fa8f5;--two:#57c4d8;--three:#c3a0ea;--four:#ee93b4;--card:#1b202a}}
*{box-sizing:border-box}body{margin:0 auto;max-width:60rem;padding:1.5rem 1rem 4rem;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,sans-serif}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .25rem}h2{font-size:1.2rem;margin:2.75rem 0 .25rem}p{max-width:44rem;margin:.25rem 0 1rem;color:var(--muted)}p.notice{color:var(--ink);background:var(--card);border-left:.25rem solid var(--thin);padding:.6rem .9rem}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.75rem;margin:1.25rem 0}dl div{background:var(--card);border-radius:.5rem;padding:.6rem .8rem}dt{color:var(--muted);font-size:.85rem}dd{margin:0;font-size:1.35rem;font-variant-numeric:tabular-nums}dd small{display:block;font-size:.8rem;color:var(--muted)}
svg{display:block;width:100%;height:auto}.plot{overflow-x:auto}.plot svg{min-width:34rem}details{margin-top:.5rem}summary{cursor:pointer;color:var(--muted)}summary:focus-visible{outline:2px solid var(--one);outline-offset:2px}.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.875rem;margin:.5rem 0}th,td{text-align:left;padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--grid)}th{color:var(--muted);font-weight:400}td.n{text-align:right;font-variant-numeric:tabular-nums}code{font-size:.875em}
@media print{details{display:none}section{break-inside:avoid}}`;

/** Headline figures: rows of each table, and by how many they changed. */
function headline(manifest: Manifest, diff: Diff | null): string {
  const shown = ['deals', 'leads', 'signals', 'auctions', 'filings', 'rejects'];
  return `<dl>${shown
    .flatMap((name) => {
      const table = manifest.tables[name];
      const change = diff?.tables.find((t) => t.table === name);
      const delta = change ? change.rows[1] - change.rows[0] : 0;
      return table
        ? [
            `<div><dt>${escaped(name)}</dt><dd>${number(table.rows)}<small>${change ? `${delta > 0 ? '+' : ''}${number(delta)} since ${escaped(diff?.a.as_of)}` : bytesShort(table.bytes)}</small></dd></div>`,
          ]
        : [];
    })
    .join('')}</dl>`;
}

/**
 * The whole page.
 * @param diff against the snapshot before; null where there is none
 */
export async function profilePage(manifest: Manifest, facts: Facts, diff: Diff | null): Promise<string> {
  const sections: string[] = [];
  for (const [name, title, about] of FIGURES) {
    const rows = facts[name];
    const body =
      rows.length === 0
        ? '<p>There is nothing to show in this snapshot.</p>'
        : `<div class="plot" tabindex="0">${await svgOf(PLOTS[name](rows), `${title}. ${about}`)}</div>${tableOf(rows)}`;
    sections.push(figure(name, title, about, body));
  }
  if (diff) {
    const rows = diff.tables
      .filter((t) => t.added + t.changed + t.removed > 0)
      .map(({ table, added, changed, removed }) => ({ table, added, changed, removed }));
    const about = `Rows of each table that came, changed or went since ${diff.a.run_id}. Fields that move by themselves every day are left out.`;
    sections.push(
      figure(
        'changes',
        'Changes since the snapshot before',
        about,
        rows.length === 0
          ? '<p>Nothing changed.</p>'
          : `<div class="plot" tabindex="0">${await svgOf(changesPlot(rows), `Changes since the snapshot before. ${about}`)}</div>${tableOf(rows)}`,
      ),
    );
  } else
    sections.push(
      figure('changes', 'Changes since the snapshot before', 'This is the first snapshot of its folder.', ''),
    );
  const warnings = manifest.audits.filter((a) => a.failing_rows > 0);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Dealfeed profile of ${escaped(manifest.run_id)}</title><style>${STYLE}</style></head>
<body><main><h1>Snapshot ${escaped(manifest.run_id)}</h1>
<p>As of ${escaped(manifest.as_of)}, underwritten with the assumptions ${escaped(manifest.assumption_set_id)}. ${number(manifest.audits.filter((a) => a.blocking).length)} blocking audits passed${warnings.length === 0 ? ', no warnings' : `; warnings: ${escaped(warnings.map((w) => `${w.name} (${w.failing_rows} rows)`).join(', '))}`}. Database <code>${escaped(manifest.database.sha256.slice(0, 16))}</code>.</p>
<p class="notice">${escaped(manifest.notice)}</p>
${headline(manifest, diff)}
${sections.join('\n')}
</main></body></html>
`;
}
