/** Input rows whose tables pass every audit, and have rows in every published table. */
import { debtRow, listingRow, recordRow, saleRow, type InputRow, type Inputs, hudRow } from '../build_models.ts';

const listing = (listing_id: string, street: string, list_price: string | null, given: InputRow = {}): InputRow =>
  listingRow(listing_id, { street, list_price, units: 8, ...given });
export const PASSING: Inputs = {
  source_reads: ['site', 'county', 'sheriff', 'colorado_sos', 'ohio_sos', 'hud_fmr'].map((source) => ({
    source,
    last_good_at: '2026-11-21T09:00:00Z',
    status: 'good',
    age_days: 0,
  })),
  staged_fmr_area: [hudRow()],
  staged_listing: [
    listing('plain', '101 Main St', '740000.00', {
      cap_rate: '7.40',
      year_built: 1974,
      property_type: 'Multifamily',
      listed_on: '2026-11-01',
    }),
    listing('dear', '103 Main St', '2400000.00', { cap_rate: '5.00' }),
    listing('hidden', '105 Main St', null, { unread_fields: 'cap_rate property_type year_built listed_on' }),
  ],
  staged_tax_parcel: [
    debtRow('001-01-001', {
      source: 'county',
      owner_name: 'ACME HOLDINGS LLC',
      street: '101 MAIN ST',
      zip: '44102',
      amount: '4000.00',
      county_value: '200000.00',
      years_delinquent: 2,
    }),
    debtRow('001-01-002', { source: 'county', owner_name: 'ACME HOLDINGS LLC', amount: '900.00' }),
  ],
  staged_distress_record: [
    recordRow('code_violation', 'V1', { source: 'county', street: '109 MAIN ST', zip: '44102' }),
    recordRow('condemned', 'B1', { source: 'county', street: '103 MAIN ST', zip: '44102', filed_on: '2026-10-01' }),
  ],
  staged_auction: ['2026-12-04', '2026-12-18'].map((sale_date, i) =>
    saleRow('CV1', { parcel_raw: '001-01-003', street: '107 MAIN ST', sale_round: i + 1, sale_date }),
  ),
  staged_registration: [
    {
      source: 'ohio_sos',
      register: 'ohio_sos',
      document_number: '1',
      charter_number: '9',
      business_name_raw: 'OAK LLC',
      filing_date: '2026-11-02',
      agent_name: 'A. AGENT',
    },
  ],
  staged_amendment: [
    {
      source: 'ohio_sos',
      register: 'ohio_sos',
      document_number: '2',
      charter_number: '9',
      kind: 'dissolution',
      effective_date: '2026-11-12',
      business_name_raw: 'OAK LLC',
    },
  ],
  staged_survey_rate: [{ source: 'freddie_pmms', series: 'MORTGAGE30US', observed_on: '2026-11-19', rate_pct: '6.97' }],
  staged_area_vacancy: [
    {
      source: 'census_hvs',
      area_name: 'Cleveland, OH',
      year: 2026,
      quarter: 3,
      ends_on: '2026-09-30',
      vacancy_pct: '7.10',
      margin_pct: '2.40',
    },
  ],
  staged_area_census: [
    {
      source: 'census_acs',
      geography: 'county',
      area_code: '39035',
      vintage: 2024,
      median_gross_rent: '1002.00',
      median_contract_rent: '801.00',
      median_value: '181300.00',
    },
  ],
  followed_change_feeds: [
    {
      list: 'filings',
      as_of: '2026-11-20',
      changes_through: '2026-11-20T12:00:00Z',
      complete_since: '2026-11-19T12:00:00Z',
      records: 0,
    },
  ],
};
