/** Lists that offices post as CSV files: Florida's advertised tax certificates, and Memphis's coming tax sales. */
import { page, respond, type SitePages } from '../http.ts';
import type { WorldDay } from '../world/world.ts';
import { htmlPage } from './html.ts';
import { csvField } from './text_files.ts';

const CSV = 'text/csv; charset=utf-8';
const csv = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `${cells.map(csvField).join(',')}\r\n`).join('');

/** Counties by the name in their address. */
const COUNTIES: Readonly<Record<string, string>> = {
  duval: '12031',
  hillsborough: '12057',
  pasco: '12101',
  pinellas: '12103',
};

/** The id that the page gives to a visit, and that the file's address repeats. */
const UNIQUE_ID = 'S4NDB0X';

/** The list of a county. The world advertises it once, in April; it stays the same. */
function certificates(day: WorldDay, fips: string): string {
  const rows = day.distress.filter(({ kind, countyFips }) => kind === 'tax_lien' && countyFips === fips);
  return csv([
    ['Account No.', 'Face Amount', 'Homestead'],
    ...rows.map((row) => [
      row.number,
      (row.amount ?? '0.00').replace(/\B(?=(\d{3})+\.)/gu, ','),
      day.property(row.propertyId).owner.occupies ? '1' : '',
    ]),
  ]);
}

export const lienHub: SitePages = (day, { path, query }) => {
  const [, county = ''] = /^\/county\/([a-z-]+)\/certsale\/main$/u.exec(path) ?? [];
  const fips = COUNTIES[county];
  if (fips === undefined) return null;
  if (query.get('use_this') === 'download_advertised_list')
    return query.get('unique_id') === UNIQUE_ID ? respond(certificates(day, fips), CSV) : null;
  const file = `/county/${county}/certsale/main?unique_id=${UNIQUE_ID}&amp;use_this=download_advertised_list`;
  return page(htmlPage('Certificate Sale', `<a href="${file}">Download advertised list</a>`));
};

const SHELBY = '47157';

/** Parcels of sales to come. A street has no suffix, and a sale has a code instead of its day. */
function taxSales(day: WorldDay): string {
  const items = day.auctions.filter(
    ({ countyFips, status, saleDate }) => countyFips === SHELBY && status === 'scheduled' && saleDate >= day.day,
  );
  return csv([
    ['ParcelID', 'Alt_Parcel', 'Street Number', 'Street Name', 'Tax Sale', 'Register GIS'],
    ...items.map(({ parcel, propertyId, caseNumber }) => {
      const { low, pre, name } = day.property(propertyId).address;
      return [
        parcel,
        `${parcel.replaceAll(' ', '')}0`,
        String(low),
        pre === null ? name : `${pre} ${name}`,
        `TS${caseNumber}`,
        `http://gis.register.shelby.tn.us/?parcelid=${encodeURIComponent(parcel)}`,
      ];
    }),
  ]);
}

export const shelbyTaxSales: SitePages = (day, { path }) =>
  path === '/TaxSaleExtract.csv' ? respond(taxSales(day), CSV) : null;
