/** /status: for buyers. Whether the service is up, whether it sells, and how fresh each kind of record is. */
import type { Health } from '../../http/health.ts';
import { html, type Html } from '../html.ts';
import { cardTable, externalLink, figures, plainTable, type Figure } from '../layout.ts';
import { countText, day } from '../format.ts';
import { textOrNull, type PageContext, type Page } from '../page.ts';
import { RECORDS } from './report/words.ts';
import { SOURCE_FAMILIES } from './coverage/coverage.ts';

interface FreshnessBar {
  /** Days since the last good read; null if it was never read. */
  readonly days: number | null;
  readonly everyDays: number;
  readonly tone: 'good' | 'thin' | 'bad' | 'plain';
}

const [ROW, TOP, LEFT, WIDTH] = [14, 4, 0, 600];
/** Ages up to this share of the width; older ones end at the edge. */
const MAX_SHARE = 2;

/**
 * The age of each source as a share of the time between two of its reads: a bar within the line is on time.
 * @param title text for screen readers
 */
function freshnessChart(title: string, bars: readonly FreshnessBar[]): Html {
  const height = TOP * 2 + bars.length * ROW;
  const position = (share: number): string =>
    (LEFT + (Math.min(share, MAX_SHARE) / MAX_SHARE) * (WIDTH - LEFT)).toFixed(1);
  return html`<svg class="fresh" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
    ${bars.map(({ days, everyDays, tone }, i) => {
      const top = TOP + i * ROW;
      const share = days === null ? 0 : days / everyDays;
      return html`<rect class="track" y="${top}" width="${WIDTH}" height="${ROW - 4}"></rect>
        <rect class="tone-${tone}" y="${top}" width="${position(Math.max(share, 0.03))}" height="${ROW - 4}"></rect>`;
    })}
    <line class="due" x1="${position(1)}" x2="${position(1)}" y1="0" y2="${height}"></line>
  </svg>`;
}

interface HealthText {
  readonly title: string;
  readonly about: string;
  readonly tone: 'good' | 'thin' | 'bad';
}

/** Sources that no run has read yet: their records are not in the data. */
const unreadText = (unread: number): string =>
  unread === 0
    ? 'every source is up to date'
    : `every source that is read is up to date; ${unread} ${unread === 1 ? 'is' : 'are'} not read yet`;

/** @param unread sources that were never read */
function healthText({ status, payments }: Health, unread: number): HealthText {
  if (status === 'unavailable') return { title: 'Not available.', about: 'There are no data to serve.', tone: 'bad' };
  if (!payments.ready)
    return {
      title: 'You cannot buy now.',
      about: 'A paid call gets 503 and is not charged. Pages and free calls work.',
      tone: 'bad',
    };
  return status === 'degraded'
    ? { title: 'Up, with delays.', about: 'You can buy. The records are correct and show their age.', tone: 'thin' }
    : { title: 'All systems work.', about: `You can buy, and ${unreadText(unread)}.`, tone: 'good' };
}

type Row = Readonly<Record<string, unknown>>;
type Tone = 'good' | 'thin' | 'bad' | 'plain';

const isLate = (row: Row): boolean => row['freshness'] === 'stale';
const isUnread = (row: Row): boolean => row['freshness'] === 'never_read';
/** A page that failed or changed, so that older rows are in use. */
const hasFailed = (row: Row): boolean => ['quarantined', 'unavailable'].includes(String(row['status']));
const isPartial = (row: Row): boolean => row['status'] === 'degraded';

function stateOf(row: Row): readonly [word: string, tone: Tone] {
  if (isUnread(row)) return ['not read yet', 'plain'];
  if (hasFailed(row)) return [isLate(row) ? 'delayed' : 'last try failed', isLate(row) ? 'bad' : 'thin'];
  if (isLate(row)) return ['delayed', 'thin'];
  return isPartial(row) ? ['incomplete', 'thin'] : ['up to date', 'good'];
}

const tag = (row: Row): Html => {
  const [word, tone] = stateOf(row);
  return html`<span class="tag ${tone}">${word}</span>`;
};

function agoText(days: number): string {
  if (days === 0) return 'today';
  return days === 1 ? '1 day ago' : `${countText(days)} days ago`;
}

const daysOf = (row: Row): number | null => (row['age_days'] === null ? null : Number(row['age_days']));
const everyText = (row: Row): string =>
  Number(row['every_days']) === 1 ? 'every day' : `every ${countText(Number(row['every_days']))} days`;
const lastRead = (row: Row): string => {
  const days = daysOf(row);
  return days === null ? 'never' : agoText(days);
};

/** A delayed source, and its effect for a buyer. */
function noticeOf(row: Row): Html {
  const title = externalLink(String(row['home']), String(row['title']));
  if (isPartial(row)) return html`<li>${title}: read, but less complete than usual. Its rows say what is missing.</li>`;
  if (row['fiscal_year'] !== null && isLate(row))
    return html`<li>
      ${title}: its figures are for fiscal year ${String(row['fiscal_year'])}, and a newer year is published.
    </li>`;
  return html`<li>${title}: last read ${lastRead(row)}, due ${everyText(row)}. Its rows show their age.</li>`;
}

/** State of the sources that are read. A source that was never read is not late. */
function stateText(fresh: number, read: number): string {
  if (read === 0) return 'not read yet';
  return fresh === read ? 'up to date' : `${fresh} of ${read} up to date`;
}

function familySection(title: string, rows: readonly Row[], buys: string): Html {
  const late = rows.filter((row) => stateOf(row)[1] !== 'good' && !isUnread(row));
  const read = rows.filter((row) => !isUnread(row));
  const unread = rows.length - read.length;
  const ages = read.map((row) => daysOf(row) ?? 0);
  const oldest = ages.length === 0 ? 'no rows yet' : `oldest read ${agoText(Math.max(...ages))}`;
  return html`<details class="sources">
    <summary>
      <strong>${title}</strong>
      <span class="tag ${read.length === 0 ? 'plain' : late.length === 0 ? 'good' : 'thin'}"
        >${stateText(read.length - late.length, read.length)}</span
      >
      <span class="sub">${oldest}${unread > 0 && read.length > 0 && `, ${unread} not read yet`}, used for ${buys}</span>
    </summary>
    ${freshnessChart(
      `${title}: age of each source as a share of the time between two reads`,
      rows.map((row) => ({
        days: daysOf(row),
        everyDays: Number(row['every_days']),
        tone: stateOf(row)[1],
      })),
    )}
    <p class="small">
      One bar for each source, in the order of the table. A source whose bar passes the line is delayed.
    </p>
    ${plainTable(
      '',
      title,
      [
        { label: 'Source' },
        { label: 'State' },
        { label: 'Last read' },
        { label: 'Schedule' },
        { label: 'Rows', isNumeric: true },
      ],
      rows.map((row) => [
        externalLink(String(row['home']), String(row['title'])),
        tag(row),
        lastRead(row),
        everyText(row),
        countText(Number(row['rows_out'])),
      ]),
    )}
  </details>`;
}

/** Oldest read of each kind of record by metro, where any is read. */
function byMetro(context: PageContext): Html | '' {
  const read = context.request.snapshot.all('coverage').filter(({ status: state }) => state !== 'not_covered');
  const rows = [...Map.groupBy(read, ({ metro }) => String(metro))];
  if (rows.length === 0) return '';
  return html`<details>
    <summary>Freshness by metro (${rows.length})</summary>
    ${cardTable(
      'Public records by metro, with the oldest read of any kind',
      [{ label: 'Metro' }, { label: 'Oldest read' }, { label: 'Kinds of records' }],
      rows.map(([metro, ofMetro]) => {
        const ages = ofMetro.flatMap(({ age_days: age }) => (age === null ? [] : [Number(age)]));
        const oldest = ofMetro.flatMap(({ oldest_read: at }) => textOrNull(at) ?? []).sort()[0] ?? null;
        return [
          metro,
          ages.length === 0 ? day(oldest) : agoText(Math.max(...ages)),
          ofMetro.map(({ kind }) => (RECORDS[String(kind)] ?? String(kind)).toLowerCase()).join(', '),
        ];
      }),
    )}
  </details>`;
}

function serviceNotes({ snapshot_failure: failure, payments }: Health): string[] {
  return [
    ...(failure === null ? [] : ['We could not load newer data. The previous data stay for sale and show their age.']),
    ...(payments.unresolved === 0 ? [] : ['Some payments are still being confirmed. No buyer is charged twice.']),
  ];
}

export const status: Page = {
  path: '/status',
  label: 'Status',
  title: 'Status',
  cache: 'none',
  about: 'Status of the service and of payments, and the freshness of the records.',
  async content(context) {
    const { site, request } = context;
    const health = await site.health();
    const rows = request.snapshot.all('sources').sort((a, b) => (String(a['title']) < String(b['title']) ? -1 : 1));
    const late = rows.filter((row) => !isUnread(row) && stateOf(row)[1] !== 'good');
    const unread = rows.filter(isUnread);
    const state = healthText(health, unread.length);
    const notes = serviceNotes(health);
    const fresh = rows.length - unread.length - late.length;
    const families = SOURCE_FAMILIES.map(
      ([family, title, buys]) => [title, rows.filter((row) => row['family'] === family), buys] as const,
    );
    const items: Figure[] = [
      {
        label: 'Buying',
        value: health.payments.ready ? 'works' : 'paused',
        note: health.payments.test_money ? 'with test money' : 'with USDC',
      },
      {
        label: 'Data as of',
        value: day(request.today),
        note: html`updated ${day(request.manifest.generated_at)}`,
      },
      {
        label: 'Sources up to date',
        value: html`${fresh}<span class="of">/${rows.length - unread.length}</span>`,
        note: `${late.length} delayed, ${unread.length} more not read yet`,
      },
    ];
    return html`<h1>Status</h1>
      <p class="outcome ${state.tone}" role="status"><strong>${state.title}</strong> ${state.about}</p>
      ${figures(items)}
      ${
        notes.length + late.length > 0 &&
        html`<h2>What is delayed</h2>
          <ul>
            ${notes.map((note) => html`<li>${note}</li>`)} ${late.map(noticeOf)}
          </ul>`
      }
      <h2>Freshness by kind of data</h2>
      <p>
        A delayed source keeps its last good rows, and each row says when it was last seen. Other sources are not
        affected. Every response names the delayed sources of its records.
      </p>
      ${families.map(([title, of, buys]) => (of.length === 0 ? '' : familySection(title, of, buys)))}
      ${byMetro(context)}
      <p class="small">
        Data set <code>${request.snapshot.id}</code>. For programs: <a href="/health"><code>/health</code></a
        >.
      </p>`;
  },
};
