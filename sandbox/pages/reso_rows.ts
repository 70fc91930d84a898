/** Records of the made-up MLS, as a server of Data Dictionary 1.7 and as one of 2.0 gives them. */
import { Draw } from '../world/random.ts';
import type { ListingOnDay } from '../world/types.ts';
import type { WorldDay } from '../world/world.ts';
import { perDay } from './per_day.ts';
import type { Row } from './tables.ts';
import { unitTypes } from './unit_mixes.ts';

const SITE = 'reso_sandbox_mls';
const SYSTEM_NAME = 'sandbox';

const STATUS = { for_sale: 'Active', under_contract: 'Active Under Contract', sold: 'Closed' } as const;
/** Two to four units: the dictionary's word, and one of the MLS's own. */
const SMALL: Readonly<Record<number, readonly [string, string]>> = {
  2: ['Duplex', 'Duplex Up and Down'],
  3: ['Triplex', 'Triplex'],
  4: ['Quadruplex', 'Fourplex'],
};

const drawFor = (day: WorldDay, key: string): Draw => new Draw(day.world.options.seed, 'page', key);

/** A quarter hour of the day, in one of the forms of time that servers write. */
function modifiedOn(day: string, draw: Draw): string {
  const hour = String(draw.int(6, 20)).padStart(2, '0');
  const minute = draw.pick(['00', '15', '30', '45'] as const);
  return `${day}T${hour}:${minute}:03${draw.pick(['.715Z', 'Z', '+00:00'] as const)}`;
}

/** Street parts by splitting the site's spelling: number, direction, name, suffix, direction, unit. */
function streetParts(day: WorldDay, listing: ListingOnDay): Row {
  const { pre, suffix, post, unit } = day.property(listing.propertyId).address;
  const words = listing.street.split(' ');
  const last = (count: number): string => words.splice(-count, count).join(' ');
  const StreetNumber = words.shift() ?? null;
  const StreetDirPrefix = pre === null ? null : (words.shift() ?? null);
  const UnitNumber = unit === null ? null : last(2);
  const StreetDirSuffix = post === null ? null : last(1);
  const StreetSuffix = suffix === null ? null : last(1);
  return { StreetNumber, StreetDirPrefix, StreetName: words.join(' '), StreetSuffix, StreetDirSuffix, UnitNumber };
}

/** Two to four units are residential income; five and more are a commercial class. */
function typeOf(units: number, draw: Draw): Row {
  const words = SMALL[units];
  if (words === undefined) return { PropertyType: 'Commercial Sale', PropertySubType: 'Multi Family' };
  return { PropertyType: 'Residential Income', PropertySubType: words[draw.chance(0.7) ? 0 : 1] };
}

const withoutBlanks = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

/** A listing on the market. */
function listed(day: WorldDay, listing: ListingOnDay): Row {
  const draw = drawFor(day, listing.listingId);
  // Feeds write zero or null for a blank field.
  const blank = (): 0 | null => (draw.chance(0.5) ? 0 : null);
  const number = (value: string | null): number | null => (value === null ? blank() : Number(value));
  const row: Row = {
    ListingKey: listing.listingId,
    ListingId: listing.listingId.replace('SMLS-', ''),
    OriginatingSystemName: SYSTEM_NAME,
    MlgCanView: true,
    StandardStatus: STATUS[listing.availability],
    ...typeOf(listing.units ?? day.property(listing.propertyId).units, draw),
    ListPrice: number(listing.price),
    NumberOfUnitsTotal: listing.units ?? blank(),
    CapRate: number(listing.capRate),
    NetOperatingIncome: number(listing.noi),
    TaxAnnualAmount: Number(listing.annualTaxes ?? 0),
    YearBuilt: listing.yearBuilt ?? blank(),
    ...streetParts(day, listing),
    City: listing.city,
    StateOrProvince: listing.state,
    PostalCode: draw.chance(0.3) ? `${listing.zip}-${draw.int(1000, 9999)}` : listing.zip,
    ListingContractDate: listing.postedOn,
    OffMarketDate: listing.offMarketOn,
    ModificationTimestamp: modifiedOn(listing.postedOn, draw),
    InternetAddressDisplayYN: true,
    InternetEntireListingDisplayYN: true,
  };
  // Blank fields may be left out.
  return draw.chance(0.5) ? withoutBlanks(row) : row;
}

/** The UnitTypes of each record that states its unit mix. */
export const unitTypesByKey = perDay(
  (day): ReadonlyMap<string, readonly Row[]> =>
    new Map(
      day.listings.flatMap(({ site, listingId, unitMix }) =>
        site === SITE && unitMix !== null ? [[listingId, unitTypes(listingId, unitMix)] as const] : [],
      ),
    ),
);

/** A record of no use to readers of multifamily listings: an office, a rented apartment or a deleted listing. */
function unwanted(day: WorldDay, wanted: Row): Row[] {
  const draw = drawFor(day, `beside ${String(wanted.ListingKey)}`);
  if (!draw.chance(0.3)) return [];
  const kind = draw.pick([
    { PropertyType: 'Commercial Sale', PropertySubType: 'Office' },
    { PropertyType: 'Residential Lease', PropertySubType: 'Apartment' },
    { MlgCanView: false },
  ] as const);
  return [{ ...wanted, ...kind, ListingKey: String(wanted.ListingKey).replace('SMLS-', 'SMLS-9') }];
}

/** All records in the order of ModificationTimestamp. */
export const records = perDay((day): readonly Row[] => {
  const at = ({ ModificationTimestamp }: Row): number => Date.parse(String(ModificationTimestamp));
  return day.listings
    .filter(({ site }) => site === SITE)
    .map((listing) => listed(day, listing))
    .flatMap((row) => [row, ...unwanted(day, row)])
    .sort((a, b) => at(a) - at(b) || (String(a.ListingKey) < String(b.ListingKey) ? -1 : 1));
});

const withoutSpaces = (value: Row[string] | undefined): string | null =>
  value === null || value === undefined ? null : String(value).replaceAll(' ', '');

/** The same record on a server of Data Dictionary 2.0: words without spaces, one address, a page per listing. */
export function asDictionary2(record: Row, host: string): Row {
  const { MlgCanView: _, ...row } = record;
  const { StreetNumber, StreetDirPrefix, StreetName, StreetSuffix, StreetDirSuffix, UnitNumber } = row;
  const parts = [StreetNumber, StreetDirPrefix, StreetName, StreetSuffix, StreetDirSuffix, UnitNumber];
  const street = parts.filter((part) => part !== null && part !== undefined).join(' ');
  // The dictionary lets an unparsed address end with its place.
  const hasPlace = String(row.ListingKey).endsWith('1') || String(row.ListingKey).endsWith('4');
  return {
    ...row,
    PropertyType: withoutSpaces(row.PropertyType),
    PropertySubType: withoutSpaces(row.PropertySubType),
    StandardStatus: withoutSpaces(row.StandardStatus),
    UnparsedAddress: hasPlace
      ? `${street}, ${String(row.City)}, ${String(row.StateOrProvince)} ${String(row.PostalCode)}`
      : street,
    ListingURL: `https://${host}/listing/${String(row.ListingKey)}`,
  };
}
