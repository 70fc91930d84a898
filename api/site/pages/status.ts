/** /status: for buyers. Whether the service is up, whether it sells, and how fresh each source is. */
import type { Health } from '../../http/health.ts';
import { rangeOf } from '../../routes/count/coarse.ts';
import { externalLink, figures, h2, list, num, plainTable, sub, tag, type Tone } from '../components.ts';
import { countText, day, rangeText } from '../format.ts';
import { element, html, type Html, type Piece } from '../html.ts';
import type { Page } from '../page.ts';

/** Families of sources in words, in the order of the page, and the products that use each. */
const FAMILIES: readonly (readonly [family: string, title: string, buys: string])[] = [
  ['listings', 'Listings', 'deals'],
  ['tax', 'Tax delinquency', 'signals and leads'],
  ['distress', 'Filings, liens and code cases', 'signals and leads'],
  ['auctions', 'Auctions', 'auctions and leads'],
  ['parcels', 'Parcels', 'addresses and owners'],
  ['register', 'New businesses', 'filings'],
  ['fmr', 'HUD rents', 'underwriting'],
  ['benchmarks', 'Rates, vacancy and census', 'underwriting'],
  ['corrections', 'Corrections and requests of people', 'every record'],
];

/** @param unread sources that were never read */
function healthText({ status, payments }: Health, unread: number): readonly [Tone, title: string, about: string] {
  if (status === 'unavailable') return ['bad', 'Down.', 'There are no data to show.'];
  if (!payments.ready)
    return ['bad', 'You cannot buy now.', 'A purchase is refused and not charged. Pages and free calls work.'];
  if (status === 'degraded') return ['thin', 'Up, with delays.', 'You can buy. The records show their age.'];
  const others = unread === 0 ? '' : `; ${unread} ${unread === 1 ? 'is' : 'are'} not read yet`;
  return ['good', 'All good.', `You can buy, and every source that we read is up to date${others}.`];
}

type Row = Readonly<Record<string, unknown>>;

const isLate = (row: Row): boolean => row['freshness'] === 'stale';
const isUnread = (row: Row): boolean => row['freshness'] === 'never_read';
const isPartial = (row: Row): boolean => row['status'] === 'degraded';

function stateOf(row: Row): readonly [tone: Tone, word: string] {
  if (isUnread(row)) return ['plain', 'not read yet'];
  // A page that failed or changed: older rows are in use.
  if (['quarantined', 'unavailable'].includes(String(row['status'])))
    return isLate(row) ? ['bad', 'delayed'] : ['thin', 'last try failed'];
  if (isLate(row)) return ['thin', 'delayed'];
  return isPartial(row) ? ['thin', 'incomplete'] : ['good', 'up to date'];
}
const isDelayed = (row: Row): boolean => !isUnread(row) && stateOf(row)[0] !== 'good';

const days = (number: unknown): string => (number === 1 ? 'day' : `${countText(Number(number))} days`);
function lastRead(age: unknown): string {
  if (age === null) return 'never';
  return age === 0 ? 'today' : `${age === 1 ? '1 ' : ''}${days(age)} ago`;
}
const everyText = ({ every_days: every }: Row): string => `every ${days(every)}`;
const linkTo = (row: Row): Piece => externalLink(String(row['home']), String(row['title']));

/** A delayed source, and its effect for a buyer. */
function delay(row: Row): string {
  if (isPartial(row)) return 'read, but less complete than usual. Its rows say what is missing.';
  if (row['fiscal_year'] !== null && isLate(row))
    return `its figures are for fiscal year ${String(row['fiscal_year'])}, and a newer year is published.`;
  return `last read ${lastRead(row['age_days'])}, due ${everyText(row)}. Its rows show their age.`;
}

/** Ninety days as bars, today at the right: a good read, a failed one, or none. */
function strip(history: string): Html {
  const bars = (mark: string, tone: Tone): Html => {
    const runs = [...history.matchAll(new RegExp(`${mark}+`, 'gu'))];
    const d = runs.map(({ index, 0: run }) => `M${index} 0h${run.length}v9h-${run.length}z`).join('');
    return element('path', { class: `tone-${tone}`, d });
  };
  const daysOf = (mark: string): number => history.split(mark).length - 1;
  const label = `Read on ${daysOf('=')} days, failed on ${daysOf('x')}`;
  const box = { class: 'strip', viewBox: '0 0 90 9', role: 'img', 'aria-label': label };
  return element('svg', box, bars('=', 'good'), bars('x', 'bad'));
}

function familySection(
  title: string,
  rows: readonly Row[],
  buys: string,
  histories: ReadonlyMap<string, string>,
): Html {
  const read = rows.filter((row) => !isUnread(row));
  const fresh = read.filter((row) => !isDelayed(row)).length;
  const isFresh = fresh === read.length;
  const state =
    read.length === 0
      ? tag('plain', 'not read yet')
      : tag(isFresh ? 'good' : 'thin', isFresh ? 'up to date' : `${fresh} of ${read.length} up to date`);
  const oldest = Math.max(...read.map((row) => Number(row['age_days'] ?? 0)));
  const notes = [
    read.length === 0 ? 'no rows yet' : `oldest read ${lastRead(oldest)}`,
    ...(read.length < rows.length ? [`${rows.length - read.length} not read yet`] : []),
    `used for ${buys}`,
  ];
  return html`<details class="sources">
    <summary><strong>${title}</strong> ${state} ${sub(notes.join(', '))}</summary>
    ${plainTable(
      '',
      title,
      ['Source', 'State', 'Last read', 'Schedule', 'Last 90 days', num('Rows')],
      rows.map((row) => [
        linkTo(row),
        tag(...stateOf(row)),
        lastRead(row['age_days']),
        everyText(row),
        strip(histories.get(String(row['source'])) ?? ''),
        rangeText(rangeOf(Number(row['rows_out']), true)),
      ]),
    )}
  </details>`;
}

const notesOf = ({ snapshot_failure: failure, payments }: Health): string[] => [
  ...(failure === null ? [] : ['We could not load newer data. The previous data stay for sale and show their age.']),
  ...(payments.unresolved === 0 ? [] : ['Some payments are still being confirmed. Nobody is charged twice.']),
];

export const status: Page = {
  path: '/status',
  label: 'Status',
  title: 'Status',
  cache: 'none',
  about: 'Whether the service and payments work, and how fresh the records are.',
  async content({ site, request: { snapshot, manifest, today } }) {
    const health = await site.health();
    // Most operators keep no file of corrections.
    const used = snapshot.all('sources').filter((row) => row['family'] !== 'corrections' || !isUnread(row));
    const rows = used.sort((a, b) => (String(a['title']) < String(b['title']) ? -1 : 1));
    const histories = new Map(manifest.sources.map(({ source, history }) => [source, history]));
    const late = rows.filter(isDelayed);
    const unread = rows.filter(isUnread).length;
    const read = rows.length - unread;
    const [tone, title, about] = healthText(health, unread);
    const notes = [...notesOf(health), ...late.map((row) => [linkTo(row), ': ', delay(row)])];
    const sections = FAMILIES.map(([family, name, buys]) => {
      const ofFamily = rows.filter((row) => row['family'] === family);
      return ofFamily.length > 0 && familySection(name, ofFamily, buys, histories);
    });
    return html`<h1>Status</h1>
      <p class="outcome ${tone}" role="status"><strong>${title}</strong> ${about}</p>
      ${figures(
        [
          'Buying',
          health.payments.ready ? 'works' : 'paused',
          health.payments.test_money ? 'with test money' : 'with USDC',
        ],
        ['Data as of', day(today), html`updated ${day(manifest.generated_at)}`],
        [
          'Sources up to date',
          html`${read - late.length}<span class="of">/${read}</span>`,
          `${late.length} delayed, ${unread} more not read yet`,
        ],
      )}
      ${notes.length > 0 && [h2('What is delayed'), list(notes)]}
      <h2>Freshness by source</h2>
      <p>A delayed source keeps its last good rows, and each row says when it was last seen.</p>
      ${sections}
      <p class="small">For programs: <a href="/health">/health</a></p>`;
  },
};
