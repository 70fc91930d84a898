/**
 * The adversarial lists: pairs of addresses and of parcel numbers that are one property, or only look like one. Each
 * pair goes through the real models: a listing at the left address and a county record at the right one.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { openDuck, rowsOf } from '../../../lib/duck.ts';
import { macrosSql } from '../../../models/index.ts';
import { buildTables, debtRow, listingRow, saleRow, type Built, type InputRow } from '../build_models.ts';

export type Match = 'exact' | 'candidate' | 'none';

export interface LabeledPair {
  readonly truth: 'same' | 'different';
  /** The match that the models are expected to make. */
  readonly found: Match;
  /** Why, in particular if the same property is not an exact match. */
  readonly why: string;
}

export interface AddressPair extends LabeledPair {
  readonly topic: string;
  /** Street and ZIP of a listing. */
  readonly a: string;
  readonly a_zip: string;
  /** Street and ZIP as a county prints them; empty if it does not. */
  readonly b: string;
  readonly b_zip: string;
  /** Street of the same parcel on the county's tax list, if `b` is the street of a sheriff's sale. */
  readonly b_parcel_also_at: string;
  /** Street of the owner's mailing address. */
  readonly b_mail: string;
  /** Class of the parcel in the county's words. */
  readonly b_property_class: string;
  /** Number of units that the listing states: four if empty, none if "?". */
  readonly units: string;
  /** Parcel number of the county record, if it matters. */
  readonly b_parcel: string;
}

/** Two parcel numbers: on a county's tax list, and at a sheriff's sale. */
export interface ParcelPair extends LabeledPair {
  readonly county_fips: string;
  readonly county: string;
  readonly a: string;
  readonly b: string;
  readonly b_county_fips: string;
}

const read = async <T>(name: string): Promise<T[]> =>
  parse(await readFile(join(import.meta.dirname, name), 'utf8'), { columns: true, relaxQuotes: false });

export const addressPairs = (): Promise<AddressPair[]> => read('addresses.csv');
export const parcelPairs = (): Promise<ParcelPair[]> => read('parcels.csv');

/** A pair and its result in the models. */
export interface Result<P> {
  readonly pair: P;
  readonly match: Match;
  /** Whether two listings at the two addresses are one deal; null if one has no address. */
  readonly isOneDeal: boolean | null;
  /** Whether the lead of the county's tax record says that the listing is of its parcel; null if it has no lead. */
  readonly isOnLead: boolean | null;
}

const nullIfBlank = (text: string): string | null => text || null;

/** Whether the pair is told by two addresses alone, so that listings at them are one property if the pair is. */
export const isOfAddressesOnly = (pair: AddressPair): boolean =>
  pair.b !== '' &&
  pair.b_zip !== '' &&
  [pair.b_parcel_also_at, pair.b_mail, pair.b_property_class, pair.b_parcel].every((other) => other === '');

/** Results of all address pairs, in one build of the models. */
export async function matchAddresses(pairs: readonly AddressPair[]): Promise<Result<AddressPair>[]> {
  const listing = (listing_id: string, source: string, street: string, zip: string, units: string): InputRow =>
    listingRow(listing_id, {
      source,
      street: nullIfBlank(street),
      zip,
      units: units === '?' ? null : Number(units || 4),
    });
  const parcelOf = (i: number): string => `900-00-${String(i).padStart(3, '0')}`;
  const all = pairs.map((pair, i) => ({ pair, parcel: pair.b_parcel || parcelOf(i), i }));
  using built = await buildTables(
    {
      source_reads: ['tax', 'auctions'].map((family) => ({
        source: family,
        family,
        county_fips: '39035',
        last_good_at: '2026-11-21T09:00:00Z',
      })),
      staged_listing: all.flatMap(({ pair, i }) => [
        listing(`A${i}`, 'site', pair.a, pair.a_zip, pair.units),
        ...(isOfAddressesOnly(pair)
          ? [listing(`B${i}`, 'other_site', pair.b, pair.b_zip.slice(0, 5), pair.units)]
          : []),
      ]),
      staged_tax_parcel: all.map(({ pair, parcel }): InputRow => {
        const row = debtRow(parcel, {
          zip: nullIfBlank(pair.b_zip),
          property_class: nullIfBlank(pair.b_property_class),
        });
        if (pair.b_parcel_also_at) return { ...row, street: pair.b_parcel_also_at, zip: pair.a_zip };
        const mail = { mail_street: pair.b_mail, mail_city: 'Cleveland', mail_state: 'OH', mail_zip: pair.a_zip };
        return { ...row, street: nullIfBlank(pair.b), ...(pair.b_mail ? mail : {}) };
      }),
      staged_auction: all
        .filter(({ pair }) => pair.b_parcel_also_at)
        .map(({ pair, parcel, i }) =>
          saleRow(`CV${i}`, { parcel_raw: parcel, street: nullIfBlank(pair.b), zip: nullIfBlank(pair.b_zip) }),
        ),
    },
    ['deals', 'listing_history', 'leads'],
  );
  const wrong = built.failed;
  if (wrong.length > 0) throw new Error(`audits found rows: ${wrong.join(', ')}`);
  const deals = new Map((await built.rows('deals')).map((d) => [d['id'], d]));
  const dealOf = await dealsOfListings(built);
  const listingsOfLeads = await dealsOfTaxLeads(built);
  return all.map(({ pair, parcel, i }) => {
    const [own, other] = [dealOf.get(`A${i}`), dealOf.get(`B${i}`)];
    const kind = pair.b_parcel_also_at ? 'sheriff_sale' : 'tax_delinquent';
    const has = (column: string): boolean =>
      (JSON.parse(String(deals.get(own)?.[column])) as { kind: string; parcel_id: string }[]).some(
        (m) => m.kind === kind && m.parcel_id === parcel,
      );
    return {
      pair,
      match: has('distress_matches') ? 'exact' : has('distress_candidates') ? 'candidate' : 'none',
      isOneDeal: other === undefined ? null : own === other,
      isOnLead: pair.b_parcel_also_at ? null : (listingsOfLeads.get(parcel)?.includes(own) ?? null),
    };
  });
}

async function dealsOfListings(built: Built): Promise<Map<string, unknown>> {
  return new Map((await built.rows('listing_history')).map((v) => [String(v['listing_id']), v['deal_id']]));
}

/** The deals that the tax lead of each parcel names. */
async function dealsOfTaxLeads(built: Built): Promise<Map<unknown, unknown[]>> {
  const leads = await built.rows('leads', "lead_type = 'tax_delinquent'");
  return new Map(
    leads.map((lead) => [
      lead['parcel_id'],
      (JSON.parse(String(lead['corroboration'])) as { kind: string; id: string }[])
        .filter(({ kind }) => kind === 'listing')
        .map(({ id }) => id),
    ]),
  );
}

/** Results of all pairs of parcel numbers, by the macro with which all models compare them. */
export async function matchParcels(pairs: readonly ParcelPair[]): Promise<Result<ParcelPair>[]> {
  const duck = await openDuck(':memory:', { threads: 1, memoryLimit: '500MB' });
  try {
    await duck.connection.run(macrosSql());
    const keys = await rowsOf(
      duck.connection,
      `SELECT parcel_key_of(p.a_county, p.a) AS a, parcel_key_of(p.b_county, p.b) AS b
      FROM (SELECT unnest(from_json(CAST($1 AS JSON),
        '[{"a": "VARCHAR", "b": "VARCHAR", "a_county": "VARCHAR", "b_county": "VARCHAR"}]')) AS p)`,
      [JSON.stringify(pairs.map((pair) => ({ ...pair, a_county: pair.county_fips, b_county: pair.b_county_fips })))],
    );
    return pairs.map((pair, i) => {
      const { a, b } = keys[i] ?? {};
      return {
        pair,
        match: a !== null && a === b && pair.county_fips === pair.b_county_fips ? 'exact' : 'none',
        isOneDeal: null,
        isOnLead: null,
      };
    });
  } finally {
    duck.close();
  }
}

/** Precision and recall of the exact matches. */
export function accuracyOf(results: readonly Result<LabeledPair>[]): {
  readonly precision: number;
  readonly recall: number;
} {
  const same = results.filter(({ pair }) => pair.truth === 'same').length;
  const attached = results.filter(({ match }) => match === 'exact');
  const right = attached.filter(({ pair }) => pair.truth === 'same').length;
  return { precision: right / attached.length, recall: right / same };
}
