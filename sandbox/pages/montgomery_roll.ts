/**
 * The tax roll of Montgomery County's Treasurer: every parcel of the county in 82 columns, with the city or township
 * and the ZIP that the delinquency list lacks. Some rows have no ZIP, and some name a township.
 */
import { spellStreet } from '../world/streets.ts';
import type { DelinquentParcel, Property, WorldDay } from '../world/types.ts';
import { csvField } from './text_files.ts';

export const MONTGOMERY_FIPS = '39113';

/** Columns in the order of the file. */
const COLUMNS = [
  ...(
    'TXYR PARCELID HLF1CHG HLF2CHG HLF1RED HLF2RED HLF1ADJ HLF2ADJ HLF1RLBK HLF2RLBK HLF1HMSD HLF2HMSD HLF1HMRB ' +
    'HLF2HMRB HLF1PEN HLF2PEN HLF1SPASMTS HLF2SPASMTS FULLYRAMTDUE NETDELQ HLF1AMTDUE HLF2AMTDUE HLF1DAYCRDT ' +
    'HLF2DAYCRDT PARCELLOCATION LEGAL1 LEGAL2 LEGAL3 ACRES TXDST CLS LUC AGLAND ASMTLAND ASMTBLDG ASMTTOTAL ' +
    'TAXABLELAND TAXABLEBLDG PUBLICUTILITY ROLLTYPE TAXABLETOTAL OWNERNAME1 OWNERNAME2 MAILINGNAME1 MAILINGNAME2 ' +
    'PADDR1 PADDR2 PADDR3 CITYNAME MORTCO NBHD ASMTWEN AC HMSDLAND HMSDBLDG FRCLSR SALESDTE PRICE YRBL GROSSRATE ' +
    'EFFRATE REDRATE DUEDATE B HLF1DELQ RENTALREG AETASMTLAND AETASMTBLDG AETASMTTOTAL AETTAXABLELAND ' +
    'AETTAXABLEBLDG AETTAXABLETOTAL CASMTLAND CTAXABLELAND HMSDFLAG'
  ).split(' '),
  'SQ. FT.',
  'DYTNCRDT',
  'OWNOCC',
  'CITY/TOWNSHIP',
  'SCHOOL DISTRICT',
  'PARCEL LOCATION ZIP',
  'CENSUS TRACT',
];

/** Width of a padded column; the others are not padded. */
const WIDTHS: Readonly<Record<string, number>> = {
  PARCELID: 14,
  PARCELLOCATION: 40,
  OWNERNAME1: 40,
  'CITY/TOWNSHIP': 50,
  'PARCEL LOCATION ZIP': 30,
};

/** Ohio's land use code of a building with so many units; 500 is vacant land. */
export function landUse(units: number): string {
  if (units === 0) return '500';
  return units > 3 ? '401' : `5${units}0`;
}

/** City or township and ZIP of a property as the roll prints them. */
export function rollPlace({ value, city, zip, hasAddress }: Property): { readonly city: string; readonly zip: string } {
  const hundreds = value / 100;
  return {
    city: hundreds % 11 === 0 ? 'HARRISON TWP' : city.toUpperCase(),
    zip: !hasAddress || hundreds % 9 === 0 ? '' : zip,
  };
}

function record(property: Property, debt: DelinquentParcel | undefined): string {
  const { owner, units } = property;
  const place = rollPlace(property);
  const values: Readonly<Record<string, string>> = {
    TXYR: '2026',
    PARCELID: property.parcel ?? '',
    NETDELQ: debt?.amount ?? '0.00',
    PARCELLOCATION: property.hasAddress ? spellStreet(property.address, 'upper_abbreviated') : '',
    CLS: units > 3 ? 'C' : 'R',
    LUC: landUse(units),
    ASMTTOTAL: `${property.value}.00`,
    OWNERNAME1: owner.name,
    OWNERNAME2: owner.second ?? '',
    OWNOCC: owner.occupies ? 'Y' : 'N',
    'CITY/TOWNSHIP': place.city,
    'PARCEL LOCATION ZIP': place.zip,
  };
  return COLUMNS.map((name) => csvField((values[name] ?? '').padEnd(WIDTHS[name] ?? 0))).join(',');
}

/** The roll of a day. */
export function rollCsv(day: WorldDay): string {
  const debts = new Map(day.delinquent.map((debt) => [debt.propertyId, debt]));
  const lines = [...day.world.properties.values()]
    .filter(({ countyFips, parcel }) => countyFips === MONTGOMERY_FIPS && parcel !== null)
    .map((property) => record(property, debts.get(property.id)));
  return [COLUMNS.map((name) => name.padEnd(WIDTHS[name] ?? 0)).join(','), ...lines, ''].join('\r\n');
}
