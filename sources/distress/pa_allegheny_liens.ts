/**
 * Allegheny County, Pennsylvania: liens for unpaid taxes and municipal charges that are not satisfied. Most of the
 * table's 2.16 million liens are satisfied, so only those with satisfied = false are requested. A docket number (dtd)
 * with several descriptions of one parcel is one lien, their amounts added. Known from public readers: the columns, and
 * that `satisfied` is a flag. No row was recorded: whether it is stored as a flag or as a word is not confirmed. If the
 * condition matches nothing, the read has too few rows and is quarantined.
 */
import { ALLEGHENY, wprdcTerms } from '../readers/open_data/portals.ts';
import { ckanTable } from '../readers/open_data/ckan.ts';
import { type Cells, daysOf, textsOf } from '../readers/open_data/table.ts';
import { cents, decimal, optional, published, refuse, year } from '../values.ts';

const HOME = 'https://data.wprdc.org/dataset/allegheny-county-tax-liens-filed-and-satisfied';

/** Whether a lien is satisfied: a flag in the interface, a word in the CSV dump. */
function isSatisfied({ satisfied }: Cells): boolean {
  if (typeof satisfied === 'boolean') return satisfied;
  const word = optional(satisfied) ?? '';
  if (/^(?:t|true|1)$/iu.test(word)) return true;
  return /^(?:f|false|0)$/iu.test(word)
    ? false
    : refuse('bad_satisfied', `satisfied is ${JSON.stringify(satisfied)}, expected true or false`);
}

export default ckanTable<'distress'>({
  name: 'pa_allegheny_liens',
  family: 'distress',
  title: 'Allegheny County tax liens (not satisfied)',
  home: HOME,
  county: ALLEGHENY.county,
  covers: { kinds: ['tax_lien'] },
  terms: wprdcTerms('CC0', HOME),
  everyDays: 31,
  expect: { minRows: 1, maxRejectShare: 0.02, maxDropShare: 0.2, newest: { column: 'filed_on', maxAgeDays: 130 } },
  portal: ALLEGHENY.portal,
  resource: '65d0d259-3e58-49d3-bebb-80dc75f61245',
  filters: { satisfied: [false] },
  columns: ['pin', 'filing_date', 'tax_year', 'dtd', 'lien_description', 'amount', 'satisfied'],
  optional: ['assignee', 'last_docket_entry'],
  group: ['dtd', 'pin'],
  link: 'dtd',
  identity: ({ dtd, pin }) => ({ signal_type: 'tax_lien', record_number: published(dtd), parcel_raw: published(pin) }),
  record: (rows) => {
    const years = new Set(rows.map((row) => year('tax_year', row.tax_year)));
    const due = rows.filter((row) => !isSatisfied(row));
    const sum = due.reduce((total, row) => total + (cents('amount', row.amount) ?? 0n), 0n);
    const amount = sum > 0n ? decimal(sum) : null;
    return {
      amount,
      amount_basis: amount === null ? null : 'lien',
      filed_on: daysOf('filing_date', rows).at(0) ?? null,
      record_state: due.length > 0 ? 'open' : 'closed',
      state_raw: textsOf('last_docket_entry', rows),
      description: textsOf('lien_description', rows),
      plaintiff: textsOf('assignee', rows),
      tax_year: years.size === 1 ? ([...years][0] ?? null) : null,
    };
  },
});
