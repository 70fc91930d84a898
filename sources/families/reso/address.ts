/** The street line of a row: UnparsedAddress without the place at its end, or put together from its parts. */
import type { JsonObject } from '../../../lib/json.ts';
import { joined, optional } from '../../values.ts';

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);

/** "55" is "#55"; "APT G" and "#55" stay. */
const unitOf = (value: unknown): string | null => {
  const unit = optional(value);
  return unit === null || /^(?:#|[a-z]{2,}\b)/iu.test(unit) ? unit : `#${unit}`;
};

/** UnparsedAddress may end with city, state, ZIP and country. Removes them if they are the row's own. */
function withoutPlace(address: string, row: JsonObject): string | null {
  const part = (value: unknown): string => {
    const text = optional(value);
    // Never matches: a part that the row does not have cannot end its address.
    return text === null ? '(?!)' : escaped(text);
  };
  const city = part(row.City);
  const state = part(row.StateOrProvince);
  const zip = `${part(optional(row.PostalCode)?.slice(0, 5))}(?:-?\\d{4})?`;
  const gap = '(?:^|[,\\s]+)';
  const comma = '(?:^|\\s*,\\s*)';
  const place = [
    `${gap}${city}[,\\s]+${state}(?:[,\\s]+${zip})?`,
    `${comma}${city}(?:[,\\s]+${zip})?`,
    `${comma}${state}[,\\s]+${zip}`,
    `${comma}${zip}`,
  ].join('|');
  return address.replace(new RegExp(`(?:${place})(?:[,\\s]+USA?)?$`, 'iu'), '') || null;
}

/** The street line, or null if the row has none. */
export function streetLine(row: JsonObject): string | null {
  const whole = optional(row.UnparsedAddress);
  if (whole !== null) return withoutPlace(whole, row);
  if (optional(row.StreetName) === null) return null;
  return joined([
    row.StreetNumber,
    row.StreetDirPrefix,
    row.StreetName,
    row.StreetSuffix,
    row.StreetDirSuffix,
    unitOf(row.UnitNumber),
  ]);
}
