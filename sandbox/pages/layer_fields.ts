/** Values that the map servers' layers have in common, and rows of records of distress. */
import { spellStreet } from '../world/streets.ts';
import type { DistressOnDay, Property } from '../world/types.ts';
import type { WorldDay } from '../world/world.ts';
import type { Row } from './tables.ts';

interface DistressRow {
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

/** A day as a layer stores it: an instant of that day in the eastern and in the central time zone. */
export const atNoon = (day: string | null): number | null => (day === null ? null : Date.parse(`${day}T17:00:00Z`));

/** A day without a time. */
export const atMidnight = (day: string | null): number | null => (day === null ? null : Date.parse(`${day}T00:00:00Z`));

/** Records of a kind, each with its property, one row for each; a repeated one twice. */
export const recordsOf = (
  day: WorldDay,
  countyFips: string,
  kind: DistressOnDay['kind'],
  row: (record: DistressOnDay, property: Property) => Row,
): Row[] =>
  distressRows(day, countyFips, kind, ({ record, property, at }) => (at === 0 ? [row(record, property)] : [])).flat();

/** The street line as the layer prints it, or null where it has none. */
export const streetOf = (property: Property, record?: Pick<DistressOnDay, 'flaw'>): string | null =>
  property.hasAddress && record?.flaw !== 'no_address' ? spellStreet(property.address, 'upper_abbreviated') : null;

export const zipOf = ({ zip }: Property, { flaw }: Pick<DistressOnDay, 'flaw'>): string =>
  flaw === 'zip_plus_4' ? `${zip}-1234` : zip;
