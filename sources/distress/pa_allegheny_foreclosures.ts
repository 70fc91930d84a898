/**
 * Allegheny County, Pennsylvania: filings of mortgage and other foreclosures since 2009, from the Department of Court
 * Records. A row is one case, parcel and plaintiff: a case passes from lender to lender, and each of them has a row.
 * The record of a case has the plaintiff with the latest activity, and the amount of that row, or of another if it has
 * none.
 *
 * Recorded rows of 2022 and 2026 show: an amount of 0 or a blank one is unknown. Until about September 2022,
 * docket_type has the latest entry of the docket and there is no last_activity; since then docket_type is blank and
 * only last_activity moves. So a case is closed if an old entry ended it; whether another is still open is not
 * published. The table names no defendant and no address.
 */
import { ALLEGHENY, wprdcTerms } from '../readers/open_data/portals.ts';
import { ckanTable } from '../readers/open_data/ckan.ts';
import { daysOf, latestOf } from '../readers/open_data/table.ts';
import { money, optional, published } from '../values.ts';

const HOME = 'https://data.wprdc.org/dataset/allegheny-county-mortgage-foreclosure-records';
/** Docket entries that end a case. */
const ENDED = /^(?:settled|discontinu|satisf|sheriff'?s deed|dismissed|withdrawn|stricken)/iu;

export default ckanTable<'distress'>({
  name: 'pa_allegheny_foreclosures',
  family: 'distress',
  title: 'Allegheny County foreclosure filings',
  home: HOME,
  county: ALLEGHENY.county,
  covers: { kinds: ['foreclosure_filing'] },
  terms: wprdcTerms('CC0', HOME),
  everyDays: 7,
  expect: {
    minRows: 1,
    maxRejectShare: 0.02,
    maxDropShare: 0.1,
    newest: { column: 'filed_on', maxAgeDays: 130 },
  },
  portal: ALLEGHENY.portal,
  resource: '859bccfd-0e12-4161-a348-313d734f25fd',
  columns: ['pin', 'filing_date', 'case_id', 'municipality', 'docket_type', 'amount', 'plaintiff'],
  optional: ['last_activity'],
  group: ['case_id', 'pin'],
  link: 'case_id',
  identity: ({ case_id: number, pin }) => ({
    signal_type: 'foreclosure_filing',
    record_number: published(number),
    parcel_raw: published(pin),
  }),
  record: (rows) => {
    const latest = latestOf('last_activity', rows);
    const amounts = [latest, ...rows].map((row) => money('amount', row.amount, { zeroIsUnknown: true }));
    const amount = amounts.find((given) => given !== null) ?? null;
    const entry = rows.map((row) => optional(row.docket_type)).findLast((text) => text !== null) ?? null;
    return {
      amount,
      amount_basis: amount === null ? null : 'claimed',
      filed_on: daysOf('filing_date', rows).at(0) ?? null,
      last_activity_on: daysOf('last_activity', rows).at(-1) ?? null,
      record_state: ENDED.test(entry ?? '') ? 'closed' : 'unknown',
      state_raw: entry,
      description: (optional(latest.case_id) ?? '').startsWith('MG-')
        ? 'Mortgage foreclosure'
        : 'Other civil foreclosure',
      plaintiff: optional(latest.plaintiff),
    };
  },
});
