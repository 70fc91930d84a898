/** Published records of distress and sales, each with the property of the world that it is about. */
import type { AuctionOnDay } from '../../world/types.ts';
import type { Row } from '../compare.ts';
import { distressKey, distressKeyOf, distressShown } from '../records/distress.ts';
import { listLevies } from '../records/debts.ts';
import { debtKey, type CountyDebts } from './debts.ts';
import { parcelKey } from './parcels.ts';
import { propertiesByParcel } from './printed_places.ts';
import type { Truth } from './truth.ts';

const SHELBY = '47157';

/** A record as the world knows it. */
export interface TrueRecord {
  /** Names the record in reports. */
  readonly name: string;
  /** Null if the world has no such record. */
  readonly propertyId: string | null;
}

const saleOn = ({ countyFips, caseNumber, saleDate }: AuctionOnDay): string =>
  `${countyFips} ${caseNumber} ${saleDate}`;

/** Finds the item of a published sale. Parcels distinguish the items of a sale day that have no case numbers. */
function saleFinder(truth: Truth): (row: Row) => AuctionOnDay | undefined {
  const bySale = Map.groupBy(truth.on(truth.asOf).auctions, saleOn);
  return (row) => {
    const items = bySale.get([row['county_fips'], row['case_number'], row['sale_date']].join(' ')) ?? [];
    if (items.length < 2) return items[0];
    const county = String(row['county_fips']);
    return items.find(({ aid, parcel }) =>
      row['item_id'] === null
        ? parcelKey(county, parcel) === parcelKey(county, String(row['parcel_id']))
        : aid === row['item_id'],
    );
  };
}

/** The record of each published sale, by its id. */
export function trueSales(auctions: readonly Row[], truth: Truth): Map<unknown, TrueRecord> {
  const find = saleFinder(truth);
  return new Map(
    auctions.map((row) => {
      const item = find(row);
      const parts = [row['county_fips'], row['case_number'], row['sale_date']];
      const isShared = row['item_id'] === null && row['auction_type'] === 'tax_sale';
      const name = ['sale', ...parts, ...(isShared ? [row['parcel_id']] : [])].join(' ');
      return [row['id'], { name, propertyId: item?.propertyId ?? null }];
    }),
  );
}

/** The record of each published signal, by its id. */
export function trueSignals(
  signals: readonly Row[],
  truth: Truth,
  counties: readonly CountyDebts[],
): Map<unknown, TrueRecord> {
  const ohio = new Map(counties.flatMap(({ listed }) => listed.map((debt) => [debtKey(debt), debt] as const)));
  const levied = new Set(listLevies(truth).map(({ debt }) => `${debt.countyFips} ${debt.propertyId}`));
  const sold = new Set(
    truth.on(truth.asOf).auctions.flatMap((sale) => (sale.countyFips === SHELBY ? [sale.propertyId] : [])),
  );
  const distress = new Map(distressShown(truth).map(({ record }) => [distressKey(record), record]));
  const propertyOf = propertiesByParcel(truth.world);
  const propertyIdOf = (row: Row): string | null => {
    const county = String(row['county_fips']);
    if (row['signal_type'] !== 'tax_delinquent') return distress.get(distressKeyOf(row))?.propertyId ?? null;
    if (county.startsWith('39')) return ohio.get(`${county} ${String(row['parcel_key'])}`)?.property.id ?? null;
    const propertyId = propertyOf(county, row['parcel_id']) ?? 'unknown';
    // Shelby's list has the parcels of tax sales to come, which have no levies.
    return sold.has(propertyId) || levied.has(`${county} ${propertyId}`) ? propertyId : null;
  };
  return new Map(
    signals.map((row) => {
      const isDebt = row['signal_type'] === 'tax_delinquent';
      const name = isDebt
        ? `debt ${String(row['county_fips'])} ${String(row['parcel_key'])}`
        : `record ${distressKeyOf(row)}`;
      return [row['id'], { name, propertyId: propertyIdOf(row) }];
    }),
  );
}
