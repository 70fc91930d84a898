/** /coverage/columns: rows of each source against its site's own count, and the columns that it fills. */
import { ratesOf } from '../../../routes/meta/facts.ts';
import { html } from '../../html.ts';
import { count, words } from '../../format.ts';
import { plainTable } from '../../layout.ts';
import type { Page } from '../../page.ts';

export const COLUMNS_PATH = '/coverage/columns';

export const filledColumns: Page = {
  path: COLUMNS_PATH,
  title: 'Counts and filled columns',
  cache: 'snapshot',
  about: 'Rows of each source, those that its site counts beyond them, and the share of rows with a value by column.',
  content({ request: { snapshot } }) {
    const rows = snapshot.all('sources').filter(({ last_good_at: at }) => at !== null);
    return html`<h1>Counts and filled columns</h1>
      <p class="lead">
        A site’s own count is compared where it states one. A column without a value in any row is one that the site
        does not publish, or no longer: <a href="/status">the status page</a> names what is missing.
      </p>
      ${plainTable(
        'Counts and filled columns by source',
        'Counts and filled columns by source',
        [
          { label: 'Source' },
          { label: 'Rows', isNumeric: true },
          { label: 'Not read', isNumeric: true },
          { label: 'Percent of rows with a value, by column' },
        ],
        rows.map((row) => [
          String(row['source']),
          count(Number(row['rows_in'])),
          row['rows_stated'] === null ? '' : count(Number(row['rows_stated']) - Number(row['rows_in'])),
          ratesOf(row)
            .map(([column, pct]) => `${words(column)} ${pct}`)
            .join(', '),
        ]),
      )}`;
  },
};
