/** Parcel numbers in recorded files of real sources, by county, where the folder that holds them is present. */
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { macrosSql } from '../../models/index.ts';
import { bytesOf, cellsOf } from '../sources/real_cells.ts';

interface RecordedNumber {
  readonly county_fips: string;
  readonly parcel: string;
}

/** Counts of a county's recorded numbers. Words such as "Property Appraiser" are not counted. */
export interface RecordedCounts {
  readonly county_fips: string;
  readonly recorded: string;
  readonly recorded_keys: string;
}

const AUCTIONS = 'more/realauction';
const jsonRows = (path: string): Record<string, string>[] =>
  JSON.parse(new TextDecoder().decode(bytesOf(path))) as Record<string, string>[];

/** The county of an auction item by the form of its case or certificate. */
const COUNTY_OF_CASE: readonly (readonly [county_fips: string, caseNumber: RegExp, certificate?: RegExp])[] = [
  ['12031', /^16-20/u],
  ['12057', /^29\d{4}C/u],
  ['12103', /^52\d{4}C/u],
  ['12101', /^51-20|^\d{4}XX\d{6}TDAXXX$/u],
  ['12057', /^20\d\d-\d{3}$/u, / \/ /u],
];

function auctionNumbers(path: string): RecordedNumber[] {
  return jsonRows(path).flatMap(
    ({ case_: caseNumber = '', certificate_: certificate = '', parcel_id: parcel = '' }) => {
      const found = COUNTY_OF_CASE.find(
        ([, ofCase, ofCertificate]) => ofCase.test(caseNumber) && (ofCertificate?.test(certificate) ?? true),
      );
      return found === undefined ? [] : [{ county_fips: found[0], parcel }];
    },
  );
}

const column = (county_fips: string, path: string, name: string): RecordedNumber[] =>
  cellsOf(path).map((cells) => ({ county_fips, parcel: cells[name] ?? '' }));

const LIENHUB: Readonly<Record<string, string>> = {
  Duval: '12031',
  Hillsborough: '12057',
  Pasco: '12101',
  Pinellas: '12103',
};

const lienNumbers = (): RecordedNumber[] =>
  cellsOf('more/florida_lienhub/tax_certificate_list_sample.csv').flatMap(({ county_name: county, parcel_norm }) => {
    const county_fips = LIENHUB[county ?? ''];
    return county_fips === undefined ? [] : [{ county_fips, parcel: parcel_norm ?? '' }];
  });

const FILINGS = ['2022_sample', '2026_transcribed'].map((name) => `more/allegheny/foreclosure_filings_${name}.csv`);

const recordedNumbers = (): RecordedNumber[] => [
  ...auctionNumbers(`${AUCTIONS}/fl_foreclosure_2026-03-14_sample.json`),
  ...auctionNumbers(`${AUCTIONS}/fl_all_counties_taxdeed_2026-03-14.json`),
  ...column('12103', `${AUCTIONS}/pinellas_foreclosure_2026-08-20.csv`, 'Parcel ID'),
  ...column('12103', `${AUCTIONS}/pinellas_event_log_head.csv`, 'Parcel ID'),
  ...column('12101', `${AUCTIONS}/pasco_foreclosure_2026-05-01.csv`, 'Parcel ID'),
  ...column('12101', `${AUCTIONS}/pasco_event_log_head.csv`, 'Parcel ID'),
  ...lienNumbers(),
  ...column('29510', 'more/stlouis/stl_vacancy_sample.csv', 'ParcelId'),
  ...FILINGS.flatMap((path) => [...column('42003', path, 'pin'), ...column('42003', path, 'block_lot')]),
  ...column('42003', 'more/allegheny/condemned_dead_end_2025_entity_owners.csv', 'parcel_id'),
  ...column('42003', 'more/allegheny/city_owned_2025_sample.csv', 'pin'),
  ...column('42003', 'more/allegheny/treasury_sale_2026-10-02_transcribed.csv', 'pin'),
];

/** Keys of numbers by the macro with which all models compare them. */
async function keysOf(numbers: readonly RecordedNumber[]): Promise<unknown[]> {
  const duck = await openDuck(':memory:', { threads: 1, memoryLimit: '500MB' });
  try {
    await duck.connection.run(macrosSql());
    const rows = await rowsOf(
      duck.connection,
      `SELECT parcel_key_of(n.county_fips, n.parcel) AS key
      FROM (SELECT unnest(from_json(CAST($1 AS JSON), '[{"county_fips": "VARCHAR", "parcel": "VARCHAR"}]')) AS n)`,
      [JSON.stringify(numbers)],
    );
    return rows.map((row) => row['key']);
  } finally {
    duck.close();
  }
}

/** How many recorded numbers have a key, by county. */
export async function recordedCounts(): Promise<RecordedCounts[]> {
  const numbers = recordedNumbers().filter(({ parcel }) => /[1-9]/u.test(parcel));
  const keys = await keysOf(numbers);
  const judged = numbers.map(({ county_fips }, i) => ({ county_fips, hasKey: keys[i] !== null }));
  return [...Map.groupBy(judged, ({ county_fips }) => county_fips)]
    .map(([county_fips, members]) => ({
      county_fips,
      recorded: String(members.length),
      recorded_keys: String(members.filter(({ hasKey }) => hasKey).length),
    }))
    .toSorted((a, b) => a.county_fips.localeCompare(b.county_fips));
}

/** Foreclosure filings of Allegheny that print a pin and a block and lot, and those of which both have one key. */
export async function filingsOfOneKey(): Promise<readonly [both: number, equal: number]> {
  const rows = FILINGS.flatMap(cellsOf).filter((cells) => /\d[A-Z]\d/u.test(cells['block_lot'] ?? ''));
  const keysOfColumn = (name: string): Promise<unknown[]> =>
    keysOf(rows.map((cells) => ({ county_fips: '42003', parcel: cells[name] ?? '' })));
  const [pins, lots] = [await keysOfColumn('pin'), await keysOfColumn('block_lot')];
  return [rows.length, pins.filter((pin, i) => pin !== null && pin === lots[i]).length];
}
