/** Which pairs of rows of a county the models hold for one property, and how often they are right. */
import { buildTables, type InputRow } from '../models/build_models.ts';
import { LISTINGS } from '../pipelines/some_tables.ts';
import { countyPairs, type CountyPair } from './county_pairs.ts';

export interface JudgedPair extends CountyPair {
  /** Whether the two rows share a key of their property. */
  readonly isJoined: boolean;
}

const page = {
  source_url: 'https://county.example/',
  page_sha256: 'a'.repeat(64),
  observed_at: '2026-11-21T09:00:00Z',
};

function listRow({ county, list }: CountyPair): InputRow {
  const { parcel, ...address } = list;
  return {
    source: 'list',
    county_fips: county.county_fips,
    county: county.county,
    city: address.street === null ? null : county.city,
    parcel_raw: parcel,
    amount: '2000.00',
    ...address,
    ...page,
  };
}

function saleRow({ county, sale }: CountyPair, caseNumber: string): InputRow {
  const { parcel, ...address } = sale;
  return {
    source: 'sales',
    county_fips: county.county_fips,
    county: county.county,
    state: county.county.slice(-2),
    city: address.street === null ? null : county.city,
    case_number: caseNumber,
    parcel_raw: parcel,
    status: 'scheduled',
    sale_kind: 'mortgage_foreclosure',
    sale_round: 1,
    sale_date: '2026-12-07',
    ...address,
    ...page,
  };
}

/** All pairs through the models, in one build. */
export async function judgePairs(pairs: readonly CountyPair[] = countyPairs()): Promise<JudgedPair[]> {
  const caseOf = (n: number): string => `CASE${n}`;
  const built = await buildTables(
    {
      source_reads: ['tax', 'sheriff'].map((family) => ({ source: family, family })),
      staged_tax_parcel: pairs.map(listRow),
      staged_sheriff_sale: pairs.map((pair, n) => saleRow(pair, caseOf(n))),
    },
    ['property_keys', 'signals', 'auctions'],
    LISTINGS,
  );
  try {
    const keys = Map.groupBy(await built.rows('property_keys'), (row) => row['record_id']);
    const keysOf = (id: unknown): unknown[] => keys.get(id)?.map((row) => row['property_key']) ?? [];
    const signals = new Map(
      (await built.rows('signals')).map((row) => [
        `${String(row['county_fips'])}|${String(row['parcel_id'])}`,
        row['id'],
      ]),
    );
    const sales = new Map((await built.rows('auctions')).map((row) => [row['case_number'], row['id']]));
    return pairs.map((pair, n) => {
      const signal = signals.get(`${pair.county.county_fips}|${pair.list.parcel.trim()}`);
      const sale = sales.get(caseOf(n));
      if (signal === undefined || sale === undefined) throw new Error(`no row of ${JSON.stringify(pair)}`);
      const saleKeys = new Set(keysOf(sale));
      return { ...pair, isJoined: keysOf(signal).some((key) => saleKeys.has(key)) };
    });
  } finally {
    built.close();
  }
}

/** A row of models/reference/identity_by_county.csv, without its counts of recorded numbers. */
export type CountyAccuracy = Readonly<
  Record<'county_fips' | 'county' | 'pairs' | 'same' | 'joined' | 'right' | 'precision' | 'recall', string>
>;

const share = (part: number, whole: number): string => (Math.round((10_000 * part) / whole) / 10_000).toFixed(4);

/** Accuracy by county, in the order of the pairs. */
export function accuracyByCounty(judged: readonly JudgedPair[]): CountyAccuracy[] {
  return [...Map.groupBy(judged, ({ county }) => county)].map(([{ county_fips, county }, pairs]) => {
    const same = pairs.filter(({ truth }) => truth === 'same').length;
    const joined = pairs.filter(({ isJoined }) => isJoined);
    const right = joined.filter(({ truth }) => truth === 'same').length;
    return {
      county_fips,
      county,
      pairs: String(pairs.length),
      same: String(same),
      joined: String(joined.length),
      right: String(right),
      precision: share(right, joined.length),
      recall: share(right, same),
    };
  });
}
