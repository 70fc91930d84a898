/** /status: the health of the server, and every source with its age. */
import { HEALTH_TEXT } from '../health_text.ts';
import { html, type Html } from '../html.ts';
import { cardTable, figures, externalLink } from '../layout.ts';
import { count, day, words } from '../format.ts';
import { textOrNull, type Page } from '../page.ts';

const FAMILIES: Readonly<Record<string, string>> = {
  listings: 'Listings',
  fmr: 'HUD rents',
  tax: 'County tax lists',
  parcels: 'Parcel addresses',
  sheriff: 'Sheriff sales',
  register: 'Business registers',
  benchmarks: 'Underwriting benchmarks',
};

const ORDER = Object.keys(FAMILIES);

/** Notes on stale sources, by reason. */
const STALE: Readonly<Record<string, string>> = {
  older_than_read_interval: 'Older than their read interval',
  newer_fiscal_year_published: 'Of a fiscal year that is over, while a newer one is published',
  fiscal_year_over: 'Of a fiscal year that is over',
};

type Row = Readonly<Record<string, unknown>>;

/** The state of a source in one word, with its color. */
function stateOf(row: Row): readonly [word: string, tone: string] {
  const [status, freshness] = [String(row['status']), String(row['freshness'])];
  if (status === 'quarantined' || status === 'unavailable') return [status, 'bad'];
  if (freshness === 'never_read') return ['not read', 'plain'];
  if (status === 'degraded') return [status, 'thin'];
  return freshness === 'fresh' ? ['fresh', 'good'] : ['stale', 'thin'];
}

const tag = (row: Row): Html => {
  const [word, tone] = stateOf(row);
  return html`<span class="tag ${tone}">${word}</span>`;
};

const age = (row: Row): Html => {
  const days = row['age_days'];
  return days === null
    ? html`never read`
    : html`${day(String(row['last_good_at']))}<span class="sub nowrap"
          >${days === 0 ? 'the same day' : `${String(days)} ${days === 1 ? 'day' : 'days'} old`}; read every
          ${row['every_days'] === 1 ? 'day' : `${String(row['every_days'])} days`}</span
        >`;
};

const why = (row: Row): Html | string => {
  const detail = textOrNull(row['detail']) ?? textOrNull(row['reason']);
  if (detail !== null) return html`<span class="sub">${words(String(row['reason'] ?? ''))}: ${detail}</span>`;
  const stale = textOrNull(row['stale_reason']);
  const isOutdated = stale !== null && row['fiscal_year'] !== null;
  return isOutdated ? html`<span class="sub">${words(stale)}: rows of ${String(row['fiscal_year'])}</span>` : '';
};

export const status: Page = {
  path: '/status',
  label: 'Status',
  title: 'Status',
  cache: 'none',
  about: 'Whether the service is up, which snapshot serves, and how fresh each source is.',
  async content({ site, request }) {
    const health = await site.health();
    const rows = await request.snapshot.records('sources', 'ORDER BY family, source');
    const states = Map.groupBy(rows, (r) => stateOf(r)[0]);
    const state = HEALTH_TEXT[health.status];
    const notes = [
      ...(health.snapshot_failure === null
        ? []
        : [
            `A newer snapshot could not be loaded (${health.snapshot_failure.reason}); the previous one keeps serving.`,
          ]),
      ...health.snapshot_gaps.map((gap) => `The snapshot is older than this server. ${gap}`),
      ...[...Map.groupBy(health.stale_sources, (s) => s.reason)].map(
        ([reason, stale]) => `${STALE[reason] ?? words(reason)}: ${stale.map((s) => s.source).join(', ')}.`,
      ),
      ...health.degraded_sources.map(({ source, detail }) => `Worth less than expected: ${source}: ${detail}.`),
      ...(health.payments.ready ? [] : ['Payments are not ready: paid calls get 503 and are free.']),
      ...(health.payments.unresolved === 0
        ? []
        : [`Settlements with unknown outcome, to be read from the chain: ${health.payments.unresolved}.`]),
    ];
    return html`<h1>Status</h1>
      <p class="outcome ${state.tone}" role="status"><strong>${state.title}</strong> ${state.about}</p>
      ${
        notes.length > 0 &&
        html`<ul>
          ${notes.map((n) => html`<li>${n}</li>`)}
        </ul>`
      }
      ${figures([
        {
          label: 'Snapshot',
          value: html`<code>${request.snapshot.id}</code>`,
          note: html`built ${day(request.manifest.generated_at)}`,
        },
        {
          label: 'Data clock',
          value: day(request.today),
          note: request.manifest.data_clock === 'sandbox' ? 'the day of the recording' : 'today',
        },
        { label: 'Payments', value: health.payments.ready ? 'ready' : 'not ready', note: health.payments.mode },
        {
          label: 'Sources fresh',
          value: html`${states.get('fresh')?.length ?? 0}<span class="of">/${rows.length}</span>`,
          note: ['quarantined', 'unavailable', 'not read'].map((s) => `${states.get(s)?.length ?? 0} ${s}`).join(', '),
        },
      ])}
      <p>
        A source whose page is malformed or has changed is <strong>quarantined</strong>: its last good rows stay and
        show their age, and other sources are not affected. For programs: <a href="/health"><code>/health</code></a
        >.
      </p>
      ${[...Map.groupBy(rows, (r) => String(r['family']))]
        .sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b))
        .map(
          ([family, sources]) =>
            html`<h2>${FAMILIES[family] ?? words(family)}</h2>
              ${cardTable(
                `${sources.length} ${sources.length === 1 ? 'source' : 'sources'}`,
                [
                  { label: 'Source' },
                  { label: 'State' },
                  { label: 'Last good read' },
                  { label: 'Rows', num: true },
                  { label: 'Rejected', num: true },
                ],
                sources.map((r) => [
                  html`${externalLink(String(r['home']), String(r['title']))}${why(r)}`,
                  tag(r),
                  age(r),
                  count(r['rows_out'] as number),
                  count(r['rows_rejected'] as number),
                ]),
              )}`,
        )}`;
  },
};
