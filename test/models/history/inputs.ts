/** What the sources show on each day of test/models/history/history.test.ts: one house or filing per case. */
import { debtRow, earlierListing, listingRow, saleRow, uuid5, type InputRow, type Inputs } from '../build_models.ts';

export const DAYS = ['2026-11-10', '2026-11-12', '2026-11-18', '2026-11-19', '2026-11-21'] as const;
export type Day = (typeof DAYS)[number];
const [NOV_10, NOV_12, NOV_18, NOV_19, NOV_21] = DAYS;

type Family = 'listing' | 'tax_parcel' | 'sheriff_sale' | 'registration';

/** Columns of a family's rows unless a case states others. */
const DEFAULTS: Readonly<Record<Family, InputRow>> = {
  listing: listingRow(''),
  tax_parcel: debtRow('', { source: 'county', amount: '100.00', zip: '44102' }),
  sheriff_sale: saleRow('', { sale_date: '2026-11-20' }),
  registration: {
    source: 'colorado_sos',
    register: 'colorado_sos',
    entity_type_raw: 'DLLC',
    business_name_raw: 'Oak Street LLC',
    filing_date: '2026-11-17',
  },
};

/** Sources with a good read on every day. The other sources of the rows were removed from the service. */
const GOOD = ['site', 'other_site', 'county', 'sheriff', 'colorado_sos'];
/** Sources that have been unavailable since their last good read. */
const STALE: Readonly<Record<string, Day>> = { stale_site: NOV_18, stale_county: NOV_12 };

interface Shown {
  readonly family: Family;
  readonly days: readonly Day[];
  readonly row: InputRow;
}
const shown: Shown[] = [];
const show = (family: Family, days: readonly Day[], row: InputRow): void => {
  shown.push({ family, days, row });
};

const listing = (days: readonly Day[], row: InputRow): void => show('listing', days, row);
listing([NOV_18, NOV_19], { listing_id: 'cut', street: '1 Main St' });
listing([NOV_21], { listing_id: 'cut', street: '1 Main St', list_price: '190000.00' });
listing([NOV_18], { listing_id: 'cut-twice', street: '10 Main St' });
listing([NOV_19], { listing_id: 'cut-twice', street: '10 Main St', list_price: '190000.00' });
listing([NOV_21], { listing_id: 'cut-twice', street: '10 Main St', list_price: '170000.00' });
listing([NOV_18, NOV_19, NOV_21], { source: 'stale_site', listing_id: 'stale', street: '3 Main St' });
listing([NOV_10], { listing_id: 'back', street: '4 Main St' });
listing([NOV_18, NOV_19, NOV_21], { listing_id: 'back', street: '4 Main St', list_price: '180000.00' });
listing([NOV_10], { listing_id: 'old-number', street: '5 Main St' });
listing([NOV_12, NOV_18, NOV_19, NOV_21], {
  listing_id: 'new-number',
  street: '5 MAIN STREET',
  list_price: '190000.00',
});
listing([NOV_21], { listing_id: 'long-ago', street: '6 Main St', list_price: '180000.00' });
listing([NOV_19, NOV_21], { listing_id: 'later-site', street: '11 Main St' });
listing([NOV_12, NOV_18, NOV_19, NOV_21], {
  source: 'other_site',
  listing_id: 'X11',
  street: '11 Main Street',
  units: null,
});
listing([NOV_18, NOV_19, NOV_21], { listing_id: 'only-site', street: '12 Main St' });
listing([NOV_12], { source: 'other_site', listing_id: 'X12', street: '12 Main Street' });
listing([NOV_18], { listing_id: 'mix', street: '13 Main St' });
listing([NOV_19, NOV_21], {
  listing_id: 'mix',
  street: '13 Main St',
  units_0br: 0,
  units_1br: 2,
  units_2br: 2,
  units_3br: 0,
  units_4br: 0,
  annual_taxes: '4100.00',
});
listing([NOV_18, NOV_19], { listing_id: 'corrected', street: '114 Main St' });
listing([NOV_21], { listing_id: 'corrected', street: '141 Main St', list_price: '190000.00' });
listing([NOV_18], { listing_id: 'revealed', street: null });
listing([NOV_19, NOV_21], { listing_id: 'revealed', street: '142 Main St' });
listing([NOV_21], { listing_id: 'zip', street: '8 Main St' });
listing([NOV_21], { listing_id: 'other-zip', street: '8 Main St', zip: '44103' });
listing([NOV_21], { listing_id: 'unit', street: '8 Main St Apt 1' });
listing([NOV_18], { source: 'removed_site', listing_id: 'removed', street: '9 Main St' });

const debt = (days: readonly Day[], row: InputRow): void => show('tax_parcel', days, row);
debt([NOV_18], { source: 'removed_county', county_fips: '39153', parcel_raw: '9', street: '29 MAIN ST' });
debt([NOV_10, NOV_12, NOV_19, NOV_21], { parcel_raw: '001-01-001', street: '21 MAIN ST' });
debt([NOV_12, NOV_18, NOV_19, NOV_21], {
  source: 'stale_county',
  county_fips: '39049',
  parcel_raw: '002',
  street: '22 MAIN ST',
});
debt([NOV_21], { parcel_raw: '001-01-004', zip: null });
debt([NOV_21], { parcel_raw: '001-01-005', zip: null });

/** A sale at a house whose number is that of the case. */
const sale = (days: readonly Day[], house: number, row: InputRow = {}): void =>
  show('sheriff_sale', days, {
    case_number: `CV${house}`,
    parcel_raw: `CV${house}-1`,
    street: `${house} MAIN ST`,
    ...row,
  });
sale([NOV_19], 34);
sale([NOV_21], 34, { status: 'unsold' });
sale([NOV_21], 34, { sale_date: '2026-12-04', sale_round: 2 });
sale([NOV_21], 35, { parcel_raw: '00101004', street: '24 MAIN ST', sale_date: '2026-12-04' });

const filing = (days: readonly Day[], row: InputRow): void => show('registration', days, row);
filing([NOV_18], { document_number: '1' });
filing([NOV_19], {
  document_number: '1',
  entity_status_raw: 'Delinquent',
  business_name_raw: 'Oak Street LLC, Delinquent November 18, 2026',
});
filing([NOV_18], { document_number: '2' });
filing([NOV_19], { document_number: '3', filing_date: '2026-11-18' });
filing([NOV_19], { document_number: '4', filing_date: '2026-11-10' });

/** A listing that was delisted long before the first day. */
export const DELISTED_BEFORE: Record<string, unknown> = earlierListing(
  { ...DEFAULTS.listing, listing_id: 'long-ago', street: '6 Main St' },
  '200000.00',
  '2026-08-01T12:00:00Z',
  { deal_id: uuid5('deal|6 MAIN ST|44102'), version_last_seen: '2026-08-01T12:00:00Z', gone_on: '2026-08-02' },
);

const noon = (day: string): string => `${day}T12:00:00Z`;

/** The staged rows of a family on a day. A stale source has the rows of its last good read. */
const rowsOn = (day: Day, family: Family): InputRow[] =>
  shown
    .filter((s) => s.family === family && s.days.includes(day))
    .map(({ row }) => {
      const source = String(row['source'] ?? DEFAULTS[family]['source']);
      return { observed_at: noon(STALE[source] ?? day), ...DEFAULTS[family], ...row };
    });

export const inputsOn = (day: Day): Inputs => ({
  run: [{ as_of: day, observed_at: noon(day), assumption_set_id: 'uw-2026.3' }],
  source_reads: [...GOOD, ...Object.keys(STALE)].map((source) => ({
    source,
    every_days: 1,
    status: STALE[source] ? 'unavailable' : 'good',
    last_good_at: noon(STALE[source] ?? day),
    age_days: 0,
  })),
  staged_listing: rowsOn(day, 'listing'),
  staged_tax_parcel: rowsOn(day, 'tax_parcel'),
  staged_auction: rowsOn(day, 'sheriff_sale'),
  staged_registration: rowsOn(day, 'registration'),
});
