/** Published tax debts and sheriff sales against the world, county by county. */
import { literal } from '../../lib/sql.ts';
import { addDays } from '../../sources/days.ts';
import { MONTGOMERY_FIPS, rollPlace } from '../pages/montgomery_roll.ts';
import type { AuctionOnDay, DelinquentParcel, Property, WorldDay } from '../world/types.ts';
import { compare, type Comparison, type ReadTable, type Row } from './compare.ts';

/** Comparable form of a parcel number within its county. Franklin's trailing 00 is a card number. */
export const parcelKey = (countyFips: string, printed: string): string => {
  const key = printed.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return countyFips === '39049' && key.length === 11 && key.endsWith('00') ? key.slice(0, 9) : key;
};

/** Sheriff sales are read from a week back to seventy-five days ahead. */
const SALES_FROM = -7;
const SALES_TO = 75;

const HAMILTON = '39061';
const STARK = '39151';
const SUMMIT = '39153';
/** Counties that print the year of certification: Montgomery and Stark. */
const CERTIFYING: ReadonlySet<string> = new Set([MONTGOMERY_FIPS, STARK]);

export async function compareCounties(read: ReadTable, day: WorldDay): Promise<Comparison[]> {
  const from = addDays(day.day, SALES_FROM);
  const signals = await read('signals', "signal_state = 'listed'");
  const auctions = await read('auctions', `sale_date >= DATE ${literal(from)}`);
  const sales = day.auctions.filter((a) => a.saleDate >= from && a.saleDate <= addDays(day.day, SALES_TO));
  const atSale = new Set(sales.map((a) => a.propertyId));
  return [
    ...[...Map.groupBy(day.delinquent, (d) => d.countyFips)].map(([county, debts]) =>
      compareDebts(
        county,
        signals,
        debts.map((debt) => [debt.parcel, trueDebt(debt, day, atSale)]),
      ),
    ),
    compareDebts(
      SUMMIT,
      signals,
      day.printedDebts.map((debt) => [
        debt.parcel,
        // The notice has only amounts; the street is known if the sheriff prints it.
        { amount: debt.amount, owner_name: null, county_value: null, has_address: atSale.has(debt.propertyId) },
      ]),
    ),
    ...[...Map.groupBy(sales, (a) => a.countyFips)].map(([county, items]) =>
      compareSales(county, auctions, items, day),
    ),
  ];
}

function compareDebts(
  county: string,
  signals: readonly Row[],
  truth: readonly (readonly [parcel: string, row: Row])[],
): Comparison {
  return compare(
    `delinquent parcels of ${county}`,
    signals.filter((s) => s['county_fips'] === county),
    (s) => String(s['parcel_key']),
    new Map(truth.map(([parcel, row]) => [parcelKey(county, parcel), row])),
  );
}

function trueDebt(debt: DelinquentParcel, day: WorldDay, atSale: ReadonlySet<string>): Row {
  const isMapped = day.property(debt.propertyId).hasAddress && debt.isMapped;
  // The sheriff prints the street of a parcel for which the county has none.
  const isAtSale = atSale.has(debt.propertyId);
  const years = CERTIFYING.has(debt.countyFips)
    ? { years_delinquent: Number(day.day.slice(0, 4)) - debt.certifiedYear, years_basis: 'since_certified_year' }
    : { years_delinquent: null, years_basis: 'unknown' };
  // Hamilton's list has no streets: they come from the map, or else from a sheriff sale.
  const addressBasis = isMapped ? 'parcel_layer' : isAtSale ? 'sheriff_sale' : null;
  return {
    amount: debt.amount,
    // Hamilton's values come from its map, which lags behind for a few parcels.
    county_value: debt.isMapped ? `${debt.marketValue}.00` : null,
    ...years,
    has_address: isMapped || isAtSale,
    ...(debt.countyFips === HAMILTON ? { address_basis: addressBasis } : {}),
    ...(debt.countyFips === MONTGOMERY_FIPS ? truePlace(day.property(debt.propertyId)) : {}),
  };
}

/** City and ZIP as far as Montgomery's tax roll prints them. A township is not the city of an address. */
function truePlace(property: Property): Row {
  const { city, zip } = rollPlace(property);
  return {
    ...(city.endsWith(' TWP') ? {} : { city, city_basis: 'municipality' }),
    ...(zip === '' ? {} : { zip, zip_basis: 'published' }),
  };
}

function compareSales(
  county: string,
  auctions: readonly Row[],
  items: readonly AuctionOnDay[],
  day: WorldDay,
): Comparison {
  return compare(
    `sheriff sales of ${county}`,
    auctions.filter((a) => a['county_fips'] === county),
    (a) => [a['case_number'], a['parcel_key'], a['sale_date']].join(' '),
    new Map(
      items.map((item) => [
        [item.caseNumber, parcelKey(item.countyFips, item.parcel), item.saleDate].join(' '),
        trueSale(item, day),
      ]),
    ),
  );
}

const trueSale = (item: AuctionOnDay, day: WorldDay): Row => ({
  sale_status: item.status,
  appraised_value: item.appraised,
  sale_kind: item.kind,
  sold_amount: item.soldFor,
  // The sheriff's page states the round of mortgage sales only.
  ...(item.kind === 'mortgage_foreclosure' ? { sale_round: item.round } : {}),
  ...(item.openingBid === null ? {} : { opening_bid: item.openingBid, opening_bid_derived: false }),
  // Stark's own page states the defendant of upcoming sales.
  ...(item.countyFips === STARK
    ? { defendant: item.saleDate >= day.day ? item.defendant : null, plaintiff: null }
    : {}),
});
