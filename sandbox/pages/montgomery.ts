/**
 * Montgomery County's Treasurer: a page whose links have backslashes and no quotes, to weekly archives made on Windows.
 * The delinquency CSV has 62 columns, headers and values padded with spaces, and lines that continue a record. The tax
 * roll has every parcel of the county in 82 columns, with the city or township and the ZIP that the delinquency list
 * lacks. Some rows have no ZIP, and some name a township.
 */
import { httpDate, page, respond, type SandboxRequest, type SandboxResponse, withValidators } from '../http.ts';
import { dayNumber, dayText, oracleDay } from '../world/days.ts';
import { listDay } from '../world/debts.ts';
import { Draw } from '../world/random.ts';
import { spellStreet } from '../world/streets.ts';
import type { DelinquentParcel, Property } from '../world/types.ts';
import { worldOn, type WorldDay } from '../world/world.ts';
import { csvField, htmlPage, windows1252 } from './parts.ts';
import { packZip } from './xlsx.ts';

const FIPS = '39113';

/** Columns in the order of the file. */
const ROLL_COLUMNS = [
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

function rollRecord(property: Property, debt: DelinquentParcel | undefined): string {
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
  return ROLL_COLUMNS.map((name) => csvField((values[name] ?? '').padEnd(WIDTHS[name] ?? 0))).join(',');
}

/** The roll of a day. */
function rollCsv(day: WorldDay): string {
  const debts = new Map(day.delinquent.map((debt) => [debt.propertyId, debt]));
  const lines = [...day.world.properties.values()]
    .filter(({ countyFips, parcel }) => countyFips === FIPS && parcel !== null)
    .map((property) => rollRecord(property, debts.get(property.id)));
  return [ROLL_COLUMNS.map((name) => name.padEnd(WIDTHS[name] ?? 0)).join(','), ...lines, ''].join('\r\n');
}

const FOLDER = '/applications/treasurer/downloads';
/** Number of weekly files that stay posted. */
const FILES_POSTED = 5;
const KINDS: Readonly<Record<string, string>> = {
  DQ: 'Delinquency',
  TR: 'Tax roll',
  CC: 'CAMA',
  YS: 'Sales of the year',
};

/** Columns in the order of the file, with the width of their values. */
const COLUMNS: readonly (readonly [name: string, width: number])[] = (
  'PARCELID:14 HLF1CHG HLF2CHG HLF1RED HLF2RED HLF1ADJ HLF2ADJ HLF1RLBK HLF2RLBK HLF1HMSD HLF2HMSD HLF1HMRB ' +
  'HLF2HMRB HLF1PN HLF2PEN HLF1SPASMTS HLF2SPASMTS FULLYRAMTDUE NETDELQ HLF1AMTDUE HLF2AMTDUE HLF1DAYCRDT ' +
  'HLF2DAYCRDT PARCELLOCATION:34 LEGAL1:30 LEGAL2:30 LEGAL3:30 ACRES:9 TXDST:5 CLS:3 LUC:3 AGLAND TAXABLELAND ' +
  'TAXABLEBLDG TAXABLETOTAL ASMTLAND ASMTBLDG PUBLICUTILITY ROLLTYPE:4 ASMTTOTAL OWNERNAME1:35 OWNERNAME2:35 ' +
  'MAILINGNAME1:35 MAILINGNAME2:35 PADDR1:35 PADDR2:35 PADDR3:35 MORTCO:6 NBHD:8 ASMTWEN:9 AC:3 HMSDLAND HMSDBLDG ' +
  'FRCLSR:9 SALESDTE:9 PRICE YRBL:4 GROSSRATE:8 EFFRATE:8 REDRATE:8 DUEDATE:9 CERTDLQYR:9'
)
  .split(' ')
  .map((column) => {
    const [name = '', width = '12'] = column.split(':');
    return [name, Number(width)];
  });

const amount = (cents: number): string => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

function record(day: WorldDay, debt: DelinquentParcel): string {
  const property = day.property(debt.propertyId);
  const { owner } = property;
  const draw = new Draw(day.world.options.seed, 'roll', property.id);
  const half = Math.round(property.value * 1.1);
  const sold = dayNumber('2000-01-01') + draw.int(0, 9000);
  const values: Record<string, string> = {
    PARCELID: debt.parcel,
    HLF1CHG: amount(half),
    HLF2CHG: amount(half),
    FULLYRAMTDUE: amount(2 * half),
    NETDELQ: debt.amount,
    HLF1AMTDUE: amount(half),
    HLF2AMTDUE: amount(half),
    PARCELLOCATION: property.hasAddress ? spellStreet(property.address, 'upper_abbreviated') : '',
    LEGAL1: `LOT ${draw.int(1, 9000)}${draw.chance(0.1) ? ' ½' : ''} REV CITY LOT`,
    LEGAL2: draw.chance(0.3) ? 'PT VAC ALLEY' : '',
    ACRES: `0.${draw.int(1000, 9999)}`,
    TXDST: debt.parcel.slice(0, 3),
    CLS: property.units > 3 ? 'C' : 'R',
    LUC: landUse(property.units),
    // The taxable value is 35 % of the market value: exact in cents, because values are whole dollars.
    TAXABLETOTAL: amount(property.value * 35),
    ASMTTOTAL: amount(property.value * 100),
    ROLLTYPE: 'REAL',
    OWNERNAME1: owner.name,
    OWNERNAME2: owner.second ?? '',
    MAILINGNAME1: owner.name,
    PADDR1: owner.mailing.street,
    PADDR2: `${owner.mailing.city} ${owner.mailing.state} ${owner.mailing.zip}`,
    FRCLSR: debt.foreclosureFiled
      ? oracleDay(dayText(dayNumber(`${debt.certifiedYear + 2}-03-01`) + draw.int(0, 200)))
      : '',
    SALESDTE: oracleDay(dayText(sold)),
    PRICE: amount(draw.int(0, property.value) * 100),
    YRBL: property.units === 0 ? '' : String(property.yearBuilt),
    GROSSRATE: '97.25',
    EFFRATE: '81.42',
    REDRATE: '0.1628',
    DUEDATE: oracleDay('2027-02-15'),
    CERTDLQYR: String(debt.certifiedYear),
  };
  const numeric = /^(?:HLF|FULLYR|NETDELQ|AGLAND|TAXABLE|ASMT(?:LAND|BLDG|TOTAL)|PUBLIC|PRICE)/u;
  const cells = COLUMNS.map(([name, width]) => {
    const value = values[name] ?? (numeric.test(name) ? '0.00' : '');
    return csvField(numeric.test(name) ? value.padStart(width) : value.padEnd(width));
  });
  // Some legal descriptions continue on the next line.
  const more = draw.chance(0.01) ? `\r\n${'DESCRIPTION CONTINUED SEE DEED'.padEnd(30)},${'MF 91-0412'.padEnd(30)}` : '';
  return cells.join(',') + more;
}

/** A kind of posted file: the start of its name, its folder in the archive and its content on a day. */
interface PostedKind {
  readonly prefix: string;
  readonly folder: string;
  readonly csv: (then: WorldDay) => string;
}

function delinquencyCsv(then: WorldDay): string {
  const lines = then.delinquent.filter(({ countyFips }) => countyFips === FIPS).map((debt) => record(then, debt));
  return [COLUMNS.map(([name, width]) => name.padEnd(width)).join(','), ...lines, ''].join('\r\n');
}

const POSTED: Readonly<Record<string, PostedKind>> = {
  DQ: { prefix: 'Delq', folder: 'DELQ', csv: delinquencyCsv },
  TR: { prefix: 'TAXROLL', folder: 'TAXROLL', csv: rollCsv },
};

/** The archive of a kind posted on a day, YYYYMMDD, or null if there is none. */
function archive(day: WorldDay, { prefix, folder, csv }: PostedKind, stamp: string): Uint8Array | null {
  const posted = `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}-${stamp.slice(6)}`;
  if (!postedFiles(day).includes(posted)) return null;
  return packZip({ [`${folder}\\${prefix}_${stamp}.csv`]: windows1252(csv(worldOn(day.world, posted))) }, posted);
}

function postedFiles(day: WorldDay): string[] {
  const newest = listDay(FIPS, dayNumber(day.day));
  return Array.from({ length: FILES_POSTED }, (_, week) => dayText(newest - 7 * week));
}

function files(day: WorldDay, kind: string): SandboxResponse {
  const prefix = POSTED[kind]?.prefix;
  const links =
    prefix === undefined
      ? []
      : postedFiles(day).map((posted) => {
          const file = `${prefix}_${posted.replaceAll('-', '')}.zip`;
          return `<tr><td><a href=${FOLDER.replaceAll('/', '\\')}\\${file} target=_blank>${file}</a></td></tr>`;
        });
  const rows = links.join('\n') || '<tr><td>No files are posted at present.</td></tr>';
  return page(
    htmlPage(
      `${KINDS[kind] ?? 'Files'} files`,
      `<h3>${KINDS[kind] ?? 'Unknown'} files</h3>\n<table border=0>\n${rows}\n</table>`,
    ),
  );
}

/** The site's pages. */
export function montgomeryTax(day: WorldDay, request: SandboxRequest): SandboxResponse | null {
  if (request.path === '/robots.txt') return respond('User-agent: *\nDisallow: /cfide/\n', 'text/plain');
  if (request.path === '/applications/treasurer/search/fdpopup.cfm')
    return files(day, (request.query.get('dtype') ?? '').toUpperCase());
  const [, prefix, stamp] = new RegExp(`^${FOLDER}/([a-z]+)_(\\d{8})\\.zip$`, 'iu').exec(request.path) ?? [];
  const kind = Object.values(POSTED).find((posted) => posted.prefix === prefix);
  const zip = kind === undefined || stamp === undefined ? null : archive(day, kind, stamp);
  if (zip === null || stamp === undefined) return null;
  return withValidators(
    respond(zip, 'application/x-zip-compressed'),
    httpDate(`${stamp.slice(0, 4)}-${stamp.slice(4, 6)}-${stamp.slice(6)}`, '11:02:47'),
  );
}
