/** The part of /coverage on sources: a square for each, colored by how fresh it is. */
import { html, type Html } from '../../html.ts';
import { plainTable } from '../../layout.ts';
import { rowsFor, type PageContext } from '../../page.ts';
import { familyTitle } from './source_families.ts';

type Row = Readonly<Record<string, unknown>>;
type State = 'fresh' | 'late' | 'broken' | 'not read';

const TONES: Readonly<Record<State, string>> = { fresh: 'good', late: 'thin', broken: 'bad', 'not read': 'plain' };
const STATES = Object.keys(TONES) as State[];

function stateOf({ status, freshness }: Row): State {
  if (status === 'quarantined' || status === 'unavailable') return 'broken';
  if (freshness === 'never_read') return 'not read';
  return freshness === 'fresh' ? 'fresh' : 'late';
}

const countIn = (rows: readonly Row[], state: State): number => rows.filter((row) => stateOf(row) === state).length;

const square = (row: Row): Html =>
  html`<i class="key key-${TONES[stateOf(row)]}" title="${String(row['source'])}"></i>`;

export async function sourcesByFamily(context: PageContext): Promise<Html | ''> {
  const rows = await rowsFor(context, 'SELECT source, family, status, freshness FROM sources ORDER BY family, source');
  if (rows.length === 0) return '';
  const families = [...Map.groupBy(rows, ({ family }) => String(family))];
  return html`<figure class="ranges">
    <figcaption>
      <h2>Freshness by source</h2>
      <p>
        Each square is a source. A source is late if its last read is older than its read interval. It is broken if its
        page changed or does not respond; its last good rows stay and show their age.
        <a href="/status">The status page</a> names each source.
      </p>
    </figcaption>
    <ul class="legend">
      ${STATES.map((state) => html`<li><span class="key key-${TONES[state]}"></span>${state}</li>`)}
    </ul>
    <div role="img" aria-label="Freshness by source. The figures are in the table below.">
      ${families.map(
        ([family, sources]) =>
          html`<div class="range">
            <span>${familyTitle(family)}</span><span class="squares">${sources.map(square)}</span
            ><b class="figure">${countIn(sources, 'fresh')} of ${sources.length} fresh</b>
          </div>`,
      )}
    </div>
    <details>
      <summary>The figures as a table</summary>
      ${plainTable(
        'Sources by family',
        'Freshness by source',
        [{ label: 'Family' }, ...STATES.map((label) => ({ label, num: true }))],
        families.map(([family, sources]) => [familyTitle(family), ...STATES.map((state) => countIn(sources, state))]),
      )}
    </details>
  </figure>`;
}
