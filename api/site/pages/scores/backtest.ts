/** The back-test as tables: outcomes of deals by score decile, over all published snapshots. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { backtestOver, type BacktestRow, type CorrelationRow } from '../../../../models/analysis/backtest.ts';
import { ServedManifest } from '../../../../models/manifest.ts';
import { html, type Html } from '../../html.ts';
import { wideTable } from '../../layout.ts';
import { countText } from '../../format.ts';

const OUTCOMES: Readonly<Record<string, string>> = {
  price_cut: 'Price cut',
  off_market: 'Off the market',
  sold: 'Sold',
  withdrawn: 'Withdrawn',
  sale_held: 'Sheriff sale held',
  debt_cleared: 'Tax debt cleared',
};

/** The last snapshot of each day, in order. Incomplete folders are skipped: a run may be writing them. */
async function snapshotDays(folder: string): Promise<Map<string, string>> {
  const days = new Map<string, string>();
  for (const name of (await readdir(folder).catch((): string[] => [])).sort()) {
    const manifest = await readFile(join(folder, name, 'manifest.json'), 'utf8')
      .then((text) => ServedManifest.safeParse(JSON.parse(text)))
      .catch(() => null);
    if (manifest?.success === true) days.set(manifest.data.as_of, join(folder, name));
  }
  return days;
}

const tenths = (value: number | null): string => (value ?? 0).toFixed(1);

function cell(row: BacktestRow | undefined): Html {
  if (!row || row.n === 0) return html`<td class="num"><span class="absent">not enough history</span></td>`;
  if (row.status !== 'measured')
    return html`<td class="num">
      <span class="absent">not enough history</span><span class="sub">${countText(row.n)} deals</span>
    </td>`;
  return html`<td class="num">
    ${tenths(row.share_pct)}%<span class="sub"
      >${tenths(row.low_pct)} to ${tenths(row.high_pct)}, ${countText(row.n)} deals</span
    >
  </td>`;
}

function decileLabel(decile: number | null): string {
  if (decile === null) return 'all deals';
  if (decile === 1) return '1 (lowest)';
  return decile === 10 ? '10 (highest)' : String(decile);
}

function outcome(rows: readonly BacktestRow[], name: string): Html {
  const ofOutcome = rows.filter((row) => row.outcome === name);
  const horizons = [...new Set(ofOutcome.filter((row) => row.n > 0).map((row) => row.days))];
  const deciles = [...new Set(ofOutcome.map((row) => row.decile))].filter(
    (one) => one === null || ofOutcome.some((row) => row.decile === one && row.n > 0),
  );
  return html`<h3>${OUTCOMES[name] ?? name}</h3>
    ${wideTable(
      `Back-test: ${OUTCOMES[name] ?? name}`,
      html`<table>
        <caption>
          Share of deals with this outcome, with Wilson’s 95 % interval in percent and the number of deals
        </caption>
        <thead>
          <tr>
            <th scope="col">Score decile</th>
            ${horizons.map((days) => html`<th scope="col" class="num">within ${days} days</th>`)}
          </tr>
        </thead>
        <tbody>
          ${deciles.map(
            (decile) =>
              html`<tr>
                <th scope="row">${decileLabel(decile)}</th>
                ${horizons.map((days) => cell(ofOutcome.find((row) => row.decile === decile && row.days === days)))}
              </tr>`,
          )}
        </tbody>
      </table>`,
    )}`;
}

const hundredths = (value: number | null): string => (value ?? 0).toFixed(2);
/** Days within which the correlations of the page count outcomes. */
const CORRELATION_DAYS = 30;
const MEASURES = { score: 'Score', cap_rate: 'Cap rate alone', difference: 'Difference' } as const;

/** Rank correlation of score and of cap rate with each outcome, by landmark; nothing if none is measured. */
function correlationTable(rows: readonly CorrelationRow[]): Html {
  const measured = rows.filter(({ status, days }) => status === 'measured' && days === CORRELATION_DAYS);
  if (measured.length === 0) return html``;
  const lines = Map.groupBy(measured, ({ landmark, outcome: name }) => `${landmark} ${name}`);
  return html`<h3>Score against cap rate alone</h3>
    ${wideTable(
      'Back-test: rank correlation',
      html`<table>
        <caption>
          Rank correlation with outcomes within ${CORRELATION_DAYS} days, from −1 to 1, with its 95 % interval
        </caption>
        <thead>
          <tr>
            <th scope="col">Scored</th>
            <th scope="col">Outcome</th>
            <th scope="col" class="num">Deals</th>
            ${Object.values(MEASURES).map((name) => html`<th scope="col" class="num">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${[...lines.values()].map(
            (of) =>
              html`<tr>
                <th scope="row">${of[0]?.landmark === 0 ? 'first' : `on day ${of[0]?.landmark}`}</th>
                <td>${OUTCOMES[of[0]?.outcome ?? ''] ?? ''}</td>
                <td class="num">${countText(of[0]?.n ?? 0)}</td>
                ${Object.keys(MEASURES).map((measure) => correlationCell(of.find((row) => row.measure === measure)))}
              </tr>`,
          )}
        </tbody>
      </table>`,
    )}`;
}

const correlationCell = (row: CorrelationRow | undefined): Html =>
  html`<td class="num">
    ${hundredths(row?.correlation ?? null)}<span class="sub"
      >${hundredths(row?.low ?? null)} to ${hundredths(row?.high ?? null)}</span
    >
  </td>`;

/** The tables of the back-test, or a sentence if there is not enough history or it fails. */
export async function backtestTables(folder: string | undefined): Promise<Html> {
  const days = folder === undefined ? new Map<string, string>() : await snapshotDays(folder);
  const [first, last] = [[...days.keys()].sort()[0], [...days.keys()].sort().at(-1)];
  if (days.size < 2)
    return html`<p class="outcome">
      Not enough history: ${days.size === 1 ? 'there are snapshots of one day only' : 'there are no snapshots'}. The
      tables appear when more days are published.
    </p>`;
  // A snapshot that is pruned while it is read must not break the page.
  const result = await backtestOver(days).catch(() => null);
  if (result === null)
    return html`<p class="outcome thin">
      The back-test failed on the current snapshots. Reload the page to try again.
    </p>`;
  const rows = result.rows.filter(({ landmark }) => landmark === 0);
  const seen = Object.keys(OUTCOMES).filter((name) => rows.some((row) => row.outcome === name && row.n > 0));
  return html`<p>
      Over the snapshots of ${days.size} days, <time datetime="${first}">${first}</time> to
      <time datetime="${last}">${last}</time>.
    </p>
    ${
      seen.length === 0
        ? html`<p class="outcome">Not enough history: no deal has been followed for 30 days yet.</p>`
        : seen.map((name) => outcome(rows, name))
    }
    ${correlationTable(result.correlations)}`;
}
