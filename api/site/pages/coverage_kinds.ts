/** The part of /coverage on kinds of records: what is read in each metro, and which kinds are not. */
import { COVERAGE_PATH } from '../../routes/coverage.ts';
import { html, type Html } from '../html.ts';
import { cardTable } from '../layout.ts';
import { count, day, percent, sentence, words } from '../format.ts';
import { rowsFor, textOrNull, type PageContext } from '../page.ts';

type Row = Readonly<Record<string, unknown>>;

const kindsRead = (rows: readonly Row[]): Html =>
  cardTable(
    'Kinds of records that are read, by metro',
    [
      { label: 'Metro' },
      { label: 'Kind' },
      { label: 'Coverage' },
      { label: 'Rows in force', num: true },
      { label: 'Oldest read' },
      { label: 'With an address', num: true },
      { label: 'Listings matched', num: true },
    ],
    rows.map((row) => [
      String(row['metro']),
      sentence(String(row['kind'])),
      sentence(String(row['status'])),
      count(textOrNull(row['listed_rows'])),
      day(textOrNull(row['oldest_read'])),
      percent(textOrNull(row['address_pct'])),
      percent(textOrNull(row['match_pct'])),
    ]),
  );

const kindsNotRead = (rows: readonly Row[]): Html =>
  cardTable(
    'Kinds of records that are not read, by metro',
    [{ label: 'Metro' }, { label: 'Kinds' }],
    [...Map.groupBy(rows, ({ metro }) => String(metro))].map(([metro, ofMetro]) => [
      metro,
      ofMetro.map(({ kind }) => words(String(kind))).join(', '),
    ]),
  );

/** Tables of the kinds that are read and that are not; nothing if the snapshot was built before there was coverage. */
export async function kindsByMetro(context: PageContext): Promise<Html | ''> {
  if (context.request.snapshot.missingTables.has('coverage')) return '';
  const rows = await rowsFor(
    context,
    `SELECT metro, kind, status, listed_rows, CAST(oldest_read AS VARCHAR) AS oldest_read, address_pct, match_pct
    FROM coverage ORDER BY metro, kind`,
  );
  const read = rows.filter(({ status }) => status !== 'not_covered');
  const notRead = rows.filter(({ status }) => status === 'not_covered');
  return html`<h2>Kinds of records</h2>
    <p>
      A property without a record is known to have none only where the kind is covered.
      <a href="${COVERAGE_PATH}">${COVERAGE_PATH}</a> is free and has the sources, their terms, and what was looked for
      where nothing is read.
    </p>
    ${read.length > 0 ? kindsRead(read) : ''} ${notRead.length > 0 ? kindsNotRead(notRead) : ''}`;
}
