/** The part of /coverage on kinds of records: which are read in each metro, and which are not. */
import { COVERAGE_PATH } from '../../../routes/coverage.ts';
import { html, type Html, type Piece } from '../../html.ts';
import { plainTable } from '../../layout.ts';
import { count, day, words } from '../../format.ts';
import { metroNamed, pathOf } from '../../map/metros.ts';
import { rowsFor, type PageContext } from '../../page.ts';

type Row = Readonly<Record<string, unknown>>;

/** The name of a metro, with its page. A county outside every metro has no page. */
function metroLink(name: string): Piece {
  const metro = metroNamed(name);
  return metro ? html`<a href="${pathOf(metro)}">${name}</a>` : name;
}

const kindText = ({ kind, status }: Row): string =>
  `${words(String(kind))}${status === 'partly_covered' ? ' (in part)' : ''}`;

function metroCells(name: string, rows: readonly Row[]): Piece[] {
  const read = rows.filter(({ status }) => status !== 'not_covered');
  const oldest = read.flatMap(({ oldest_read: at }) => (at === null ? [] : [String(at)])).toSorted()[0];
  return [
    metroLink(name),
    read.map(kindText).join(', ') || 'none',
    count(rows.length - read.length),
    count(read.reduce((sum, { listed_rows: listed }) => sum + Number(listed), 0)),
    day(oldest),
  ];
}

/** The table of kinds by metro. */
export async function kindsByMetro(context: PageContext): Promise<Html> {
  const rows = await rowsFor(
    context,
    `SELECT metro, kind, status, listed_rows, CAST(oldest_read AS VARCHAR) AS oldest_read
    FROM coverage ORDER BY metro, kind`,
  );
  return html`<h2>Kinds of records</h2>
    <p>
      A missing record means that there is none only where the kind is covered in full. Each metro’s page lists its
      counties, its sources and the kinds we do not read. For programs,
      <a href="${COVERAGE_PATH}">${COVERAGE_PATH}</a> has the same, free, with the terms of each source. For a kind that
      is not read, it gives the reason.
    </p>
    ${plainTable(
      'Kinds we read in each metro, and in each county outside a metro',
      'Kinds of records by metro',
      [
        { label: 'Metro' },
        { label: 'Kinds read' },
        { label: 'Not read', isNumeric: true },
        { label: 'Rows in force', isNumeric: true },
        { label: 'Oldest read' },
      ],
      [...Map.groupBy(rows, ({ metro }) => String(metro))].map(([name, ofMetro]) => metroCells(name, ofMetro)),
    )}`;
}
