/** Rows of a feed: which of them are listings of several units on the market, and their values. */
import { isObject, type JsonObject } from '../../../lib/json.ts';
import type { Candidate } from '../../contract.ts';
import { candidate, joined, optional, refuse, required } from '../../values.ts';
import { listingValues, parseAvailability, webUrl, withoutPlace, withUnit } from '../listing_values.ts';
import { plainWord, type PropertyType, recordUrl, type ResoServer } from './server.ts';
import { bedroomsOfType, mixOfTypes, type UnitMix } from '../unit_mix.ts';

/** The street line, or null if the row has none. */
export function streetLine(row: JsonObject): string | null {
  const whole = optional(row.UnparsedAddress);
  const place = { city: row.City, state: row.StateOrProvince, zip: row.PostalCode };
  if (whole !== null) return withUnit(withoutPlace(whole, place), row.UnitNumber);
  if (optional(row.StreetName) === null) return null;
  const parts = [row.StreetNumber, row.StreetDirPrefix, row.StreetName, row.StreetSuffix, row.StreetDirSuffix];
  return withUnit(joined(parts), row.UnitNumber);
}

/**
 * Bedrooms of a type. UnitTypeType states them for "Studio", "Efficiency" and "1 Bedroom" to "4 Bedroom Or More"; for
 * "Loft", "Apartments" and others UnitTypeBedsTotal does.
 */
function bedroomsOf({ UnitTypeType: type, UnitTypeBedsTotal: beds }: JsonObject): number | null {
  const stated = bedroomsOfType(type);
  if (stated !== null) return stated;
  return typeof beds === 'number' && Number.isInteger(beds) && beds >= 0 && beds < 10 ? beds : null;
}

/** The mix; null unless each type states its bedrooms and its number of units. */
export function unitTypeMix({ UnitTypes: types }: JsonObject): UnitMix | null {
  if (!Array.isArray(types) || types.length === 0 || !types.every(isObject)) return null;
  return mixOfTypes(
    types.map((type) => {
      const count = type.UnitTypeUnitsTotal;
      return { bedrooms: typeof count === 'number' ? bedroomsOf(type) : null, count };
    }),
  );
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? optional(value) : null;

const isSame = (one: string, other: string): boolean => plainWord(one) === plainWord(other);

/** Servers write false as a boolean, a number or text. */
const isFalse = (value: unknown): boolean =>
  value === false || value === 0 || (typeof value === 'string' && /^(?:0|false|n|no)$/iu.test(value.trim()));

/** The declared type of a row, if it is one of them. */
export function declaredType(row: JsonObject, { types }: ResoServer): PropertyType | undefined {
  const type = textOf(row.PropertyType);
  return type === null ? undefined : types.find((declared) => isSame(declared.type, type));
}

/** Whether the row's subtype is one that its type declares. */
export function hasDeclaredSubtype(row: JsonObject, { subtypes }: PropertyType): boolean {
  const subtype = textOf(row.PropertySubType);
  return subtypes === undefined || (subtype !== null && subtypes.some((declared) => isSame(declared, subtype)));
}

/**
 * Whether a row is none of the feed's listings: deleted, withheld from the internet by its seller, or a commercial
 * building of another kind.
 */
export function isLeftOut(row: JsonObject, server: ResoServer): boolean {
  if (isFalse(row.MlgCanView) || isFalse(row.InternetEntireListingDisplayYN)) return true;
  const type = declaredType(row, server);
  return type !== undefined && !hasDeclaredSubtype(row, type);
}

/** The values of a listing, or a reject. Fields that were not requested do not matter. */
export function rowCandidate(row: JsonObject, server: ResoServer): Candidate {
  const id = textOf(row.ListingKey);
  return candidate(
    JSON.stringify(row),
    () => {
      const listing_id = required('ListingKey', row.ListingKey);
      if (declaredType(row, server) === undefined)
        refuse(
          'unexpected_type',
          `PropertyType is ${JSON.stringify(row.PropertyType) ?? 'missing'}, ` +
            `expected one of ${server.types.map(({ type }) => type).join(', ')}`,
        );
      const availability = parseAvailability(row.StandardStatus);
      if (availability === 'unknown' || !server.onMarket.some((word) => parseAvailability(word) === availability))
        refuse(
          'unexpected_standing',
          `StandardStatus is ${JSON.stringify(row.StandardStatus) ?? 'missing'}, ` +
            `expected one of ${server.onMarket.join(', ')}`,
        );
      const listing_url = webUrl(row.ListingURL, recordUrl(server, listing_id));
      return {
        values: listingValues({
          listing_id,
          listing_url,
          street: isFalse(row.InternetAddressDisplayYN) ? null : streetLine(row),
          city: row.City,
          state: row.StateOrProvince,
          zip: row.PostalCode,
          list_price: row.ListPrice,
          units: row.NumberOfUnitsTotal,
          unit_mix: unitTypeMix(row),
          cap_rate: row.CapRate,
          noi: row.NetOperatingIncome,
          annual_taxes: row.TaxAnnualAmount,
          year_built: row.YearBuilt,
          property_type: optional(row.PropertySubType) ?? row.PropertyType,
          listed_on: row.ListingContractDate,
          off_market_on: row.OffMarketDate,
          availability,
        }),
        sourceUrl: listing_url,
      };
    },
    id === null ? undefined : { listing_id: id },
  );
}
