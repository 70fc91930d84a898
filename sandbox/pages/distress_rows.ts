/** Rows of a publisher's records of distress, with the flaws of the recorded files. */
import type { DistressOnDay } from '../world/distress_types.ts';
import { spellStreet } from '../world/streets.ts';
import type { Property, WorldDay } from '../world/types.ts';

export interface DistressRow {
  readonly record: DistressOnDay;
  readonly property: Property;
  /** Street address in upper case, null where the publisher has none. */
  readonly street: string | null;
  /** Parcel number, null where the publisher has none. */
  readonly parcel: string | null;
  /** Index of this row among the record's rows, from 0. */
  readonly at: number;
}

/** Rows of one kind of record of a county: as many as each record has, and one more where the publisher repeats it. */
export const distressRows = <T>(
  day: WorldDay,
  countyFips: string,
  kind: DistressOnDay['kind'],
  row: (of: DistressRow) => T,
): T[] =>
  day.distress
    .filter((record) => record.countyFips === countyFips && record.kind === kind)
    .flatMap((record) => {
      const property = day.property(record.propertyId);
      const hasStreet = property.hasAddress && record.flaw !== 'no_address';
      const street = hasStreet ? spellStreet(property.address, 'upper_abbreviated') : null;
      const parcel = record.flaw === 'no_parcel' ? null : property.parcel;
      const rows = Array.from({ length: record.rows }, (_, at) => row({ record, property, street, parcel, at }));
      const [first] = rows;
      return record.flaw === 'repeated' && first !== undefined ? [...rows, first] : rows;
    });

/** ZIP of a property, with four more digits in some rows. */
export const zipCell = ({ flaw }: DistressOnDay, { zip }: Property): string =>
  flaw === 'zip_plus_4' ? `${zip}-0001` : zip;
