/** How the service does now: the server, and every source with its age. */
import { PLAIN_HEALTH } from '../health_text.ts';
import { html, type Html } from '../html.ts';
import { cardTable, figures, outside } from '../layout.ts';
import { count, day, words } from '../format.ts';
import { textOrNull, type Page } from '../page.ts';

const FAMILIES: Readonly<Record<string, string>> = {
  listings: 'Listings',
  fmr: 'HUD rents',
  tax: 'County tax lists',
  parcels: 'Parcel addresses',
  sheriff: 'Sheriff sales',
  register: 'Business registers',
};

const ORDER = Object.keys(FAMILIES);

type Row = Readonly<Record<string, unknown>>;

/** A source in one word, with its colour. */
function stateOf(row: Row): readonly [word: string, tone: string] {
  const [status, freshness] = [String(row['status']), String(row['freshness'])];
  if (status === 'quarantined' || status === 'unavailable') return [status, 'bad'];
  if (freshness === 'never_read') return ['not read', 'plain'];
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
  return detail === null ? '' : html`<span class="sub">${words(String(row['reason'] ?? ''))}: ${detail}</span>`;
};

export const status: Page = {
  path: '/status',
  label: 'Status',
  title: 'Status',
  made: 'request',
  about: 'Whether the service is up, which snapshot serves, and how fresh each source is.',
  async content({ site, asked }) {
    const health = await site.health();
    const rows = await asked.snapshot.whole('sources', 'ORDER BY family, source');
    const states = Map.groupBy(rows, (r) => stateOf(r)[0]);
    const said = PLAIN_HEALTH[health.status];
    const notes = [
      ...(health.snapshot_failure === null
        ? []
        : [
            `A newer snapshot could not be loaded (${health.snapshot_failure.reason}); the one before goes on serving.`,
          ]),
      ...health.snapshot_gaps.map((gap) => `The snapshot is older than this server. ${gap}`),
      ...(health.stale_sources.length === 0
        ? []
        : [`Older than the days between two reads: ${health.stale_sources.map((s) => s.source).join(', ')}.`]),
      ...(health.payments.ready ? [] : ['Payments are not ready: paid calls are answered 503 and cost nothing.']),
      ...(health.payments.unresolved === 0
        ? []
        : [`${health.payments.unresolved} settlements have an outcome that is not known yet; the chain will say.`]),
    ];
    return html`<h1>Status</h1>
      <p class="outcome ${said.tone}" role="status"><strong>${said.title}</strong> ${said.about}</p>
      ${
        notes.length > 0 &&
        html`<ul>
          ${notes.map((n) => html`<li>${n}</li>`)}
        </ul>`
      }
      ${figures([
        {
          label: 'Snapshot',
          value: html`<code>${asked.snapshot.id}</code>`,
          note: html`made ${day(asked.manifest.generated_at)}`,
        },
        {
          label: 'Data clock',
          value: day(asked.today),
          note: asked.manifest.data_clock === 'sandbox' ? 'the day of the recording' : 'today',
        },
        { label: 'Payments', value: health.payments.ready ? 'ready' : 'not ready', note: health.payments.mode },
        {
          label: 'Sources fresh',
          value: html`${states.get('fresh')?.length ?? 0}<span class="of">/${rows.length}</span>`,
          note: `${states.get('quarantined')?.length ?? 0} quarantined, ${states.get('unavailable')?.length ?? 0} unavailable, ${states.get('not read')?.length ?? 0} waiting`,
        },
      ])}
      <p>
        A source whose page is malformed or changed is <strong>quarantined</strong>: its last good rows stay and show
        their age, and the others go on. One that refuses is left alone. For programs:
        <a href="/health"><code>/health</code></a
        >.
      </p>
      ${[...Map.groupBy(rows, (r) => String(r['family']))]
        .sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b))
        .map(
          ([family, of]) =>
            html`<h2>${FAMILIES[family] ?? words(family)}</h2>
              ${cardTable(
                `${of.length} ${of.length === 1 ? 'source' : 'sources'}`,
                [
                  { label: 'Source' },
                  { label: 'State' },
                  { label: 'Last good read' },
                  { label: 'Rows', num: true },
                  { label: 'Refused', num: true },
                ],
                of.map((r) => [
                  html`${outside(String(r['home']), String(r['title']))}${why(r)}`,
                  tag(r),
                  age(r),
                  count(r['rows_out'] as number),
                  count(r['rows_rejected'] as number),
                ]),
              )}`,
        )}`;
  },
};
