/**
 * Published leads: one for each debt and each next sale that the snapshot has and that a buyer can use. The debts and
 * sales are compared with the world as records of their own.
 */
import { dayNumber } from '../../world/days.ts';
import type { Row, TrueRow } from '../compare.ts';
import { readAssumptions, withDays, type RecordTable } from '../snapshot.ts';

/** Columns that a lead has from its debt or sale. */
const OF_DEBT = `amount county_value amount_to_value_pct years_delinquent months_delinquent certified_year owner_name
  owner_location mail_street mail_city mail_state mail_zip address city state zip county_fips parcel_key`.split(/\s+/u);
const OF_SALE = `auction_type sale_kind sale_date case_number appraised_value opening_bid opening_bid_basis
  opening_bid_derived opening_bid_mismatch deposit property_address city state zip county_fips`.split(/\s+/u);

const order = (sale: Row): string => `${String(sale['sale_date'])} ${String(sale['case_number'])}`;

/** The next of the sales of each parcel, or of each case while no parcel is shown. */
const nextSales = (sales: readonly Row[]): Row[] =>
  [
    ...Map.groupBy(sales, (sale) =>
      [sale['county_fips'], sale['parcel_key'] ?? `case ${String(sale['case_number'])}`].join(' '),
    ).values(),
  ].flatMap((ofParcel) => ofParcel.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)).slice(0, 1));

export const LEADS: RecordTable = {
  record: 'leads',
  table: 'leads',
  keyOf: (lead) => String(lead['signal_id'] ?? lead['auction_id']),
  async truth({ read, truth: { asOf, soldLeads } }) {
    const assumptions = await readAssumptions(read);
    // An older record is not published as a lead.
    const fresh = ({ last_seen: lastSeen }: Row): boolean =>
      dayNumber(asOf) - dayNumber(String(lastSeen)) <= Number(assumptions('lead_max_age_days'));
    const debts = await read(
      'signals',
      "signal_type = 'tax_delinquent' AND signal_state = 'listed' AND has_address AND amount > 0",
    );
    const sales = await read(
      'auctions',
      `sale_status = 'scheduled' AND sale_date >= DATE '${asOf}' AND property_address IS NOT NULL`,
    );
    const trueLead = (row: Row, type: string, names: readonly string[]): TrueRow => ({
      key: String(row['id']),
      columns: {
        lead_type: type,
        last_verified: row['last_seen'],
        ...Object.fromEntries(names.map((name) => [name, row[name]])),
      },
      // A sold lead is left out, and the snapshot does not tell which.
      isOptional: soldLeads > 0,
    });
    return [
      ...debts
        .map(withDays)
        .filter(fresh)
        .map((row) => trueLead(row, 'tax_delinquent', OF_DEBT)),
      ...nextSales(sales.map(withDays).filter(fresh)).map((row) => trueLead(row, 'sheriff_sale_auction', OF_SALE)),
    ];
  },
};
