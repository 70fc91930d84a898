/** Coverage in general, and for the place of a lookup. Where nothing is read, a miss means nothing. */
import { z } from 'zod';
import { isSale } from '../../../models/fields.ts';
import type { Source as SourceRow } from '../../../models/marts/sources.ts';
import { cachePerSnapshot } from '../../serving/memo.ts';
import type { Snapshot } from '../../serving/open.ts';
import { Filters } from '../../serving/filters.ts';
import { citiesOf } from '../places.ts';
import { countiesOf, knownPlaces, placeKey, type WantedPlace } from '../places.ts';

const CountyRead = z.strictObject({ county: z.string(), last_good_at: z.iso.datetime() });

const SourceOfPlace = z.strictObject({
  source: z.string().meta({ description: 'Name of the source, as in /api/meta.' }),
  county: z.string().nullable().meta({ description: 'County of its rows. Null when: it is a listing site.' }),
  since: z.iso.datetime().nullable().meta({
    description: 'When this service first saw a record of it in the county or the city. Null when: it has none there.',
  }),
  last_good_at: z.iso.datetime().nullable().meta({
    description: 'When the rows in use were read. Null when: they are rows of an earlier snapshot.',
  }),
});

const FamilyOfPlace = z.strictObject({
  status: z.enum(['covered', 'partly_covered', 'not_covered', 'unknown']).meta({
    description:
      'partly_covered: the place may be in several counties, and not all are read, or a source covers one city that ' +
      'the place may not be in. unknown: the county is not known. ' +
      'Listings are covered if the service has or had one in the city or the ZIP.',
  }),
  sources: z.array(SourceOfPlace),
});

const PlaceCoverage = z.strictObject({
  city: z.string().nullable().meta({ description: 'City as typed. Null when: none was given.' }),
  state: z.string().nullable().meta({ description: 'Two-letter state. Null when: none was given.' }),
  zip: z.string().nullable().meta({ description: 'Five-digit ZIP. Null when: none was given.' }),
  counties: z.array(z.string()).meta({ description: 'Counties in which the place may be, as far as known.' }),
  explanation: z.string().meta({ description: 'Meaning of a miss here, in one or two sentences.' }),
  listings: FamilyOfPlace,
  tax_delinquency: FamilyOfPlace,
  sheriff_sales: FamilyOfPlace,
});

export const Coverage = z.strictObject({
  note: z.string(),
  place: PlaceCoverage.nullable().meta({
    description: 'Coverage of the place of the lookup. Null when: the lookup names neither city nor state nor ZIP.',
  }),
  listing_cities: z.int().meta({ description: 'Cities with a listing, now or earlier.' }),
  tax_delinquency: z.array(CountyRead).meta({ description: 'Counties of which tax-delinquency lists are read.' }),
  sheriff_sales: z
    .array(CountyRead)
    .meta({ description: 'Counties of which sheriff sales or other auctions are read.' }),
});
type Coverage = z.input<typeof Coverage>;
type FamilyOfPlace = z.input<typeof FamilyOfPlace>;

type Source = z.infer<typeof SourceRow.schema>;
type First = Readonly<Record<'source' | 'since', string> & Record<'city' | 'zip', string | null>>;

const kindsOf = ({ covered_kinds }: Source): readonly string[] => (covered_kinds ?? '').split(', ');

/** Kinds of records that a field of the answer is about. */
type IsKind = (kind: string) => boolean;
const isDebt: IsKind = (kind) => kind === 'tax_delinquent';

/** The counties of which sources of some kinds were read, by name. */
const countiesReadBy = (sources: readonly Source[], isKind: IsKind) =>
  sources
    .flatMap((source) => {
      const { county, last_good_at } = source;
      return kindsOf(source).some(isKind) && county !== null && last_good_at !== null ? [{ county, last_good_at }] : [];
    })
    .toSorted((a, b) => (a.county < b.county ? -1 : 1));

const sourcesOf = cachePerSnapshot(async (snapshot: Snapshot) => {
  const since = snapshot.rows(
    'SELECT source, city, zip, since FROM first_records ORDER BY since',
  ) as unknown as First[];
  const sources = snapshot.all('sources') as Source[];
  return {
    sources,
    debtCounties: countiesReadBy(sources, isDebt),
    saleCounties: countiesReadBy(sources, isSale),
    since: since.map((row) => ({ ...row, city: row.city === null ? null : placeKey(row.city) })),
    cities: await citiesOf(snapshot, new Filters('deals')),
  };
});

type Sources = Awaited<ReturnType<typeof sourcesOf>>;

/** Coverage of a place by the county sources of some kinds of records. */
function coverageBy(
  { sources, since }: Sources,
  isKind: IsKind,
  { counties, city }: { readonly counties: readonly string[]; readonly city: string | undefined },
): FamilyOfPlace {
  const here = sources.filter(
    (one) =>
      one.last_good_at !== null &&
      one.county_fips !== null &&
      counties.includes(one.county_fips) &&
      kindsOf(one).some(isKind),
  );
  const isOfPlace = ({ covered_city: only }: Source): boolean =>
    only === null || (city !== undefined && placeKey(only) === placeKey(city));
  const read = new Set(here.filter(isOfPlace).map((one) => one.county_fips));
  const status =
    counties.length === 0
      ? 'unknown'
      : counties.every((county) => read.has(county))
        ? 'covered'
        : here.length > 0
          ? 'partly_covered'
          : 'not_covered';
  return {
    status,
    sources: here.map(({ source, county, last_good_at }) => ({
      source,
      county,
      since: since.find((row) => row.source === source)?.since ?? null,
      last_good_at,
    })),
  };
}

/** Listing sites with a listing in the city, or in the ZIP if no city is given. */
function listingsOf({ sources, since }: Sources, { city, zip }: WantedPlace): FamilyOfPlace {
  if (city === undefined && zip === undefined) return { status: 'unknown', sources: [] };
  const key = city === undefined ? undefined : placeKey(city);
  const here = since.filter((row) => (key === undefined ? row.zip === zip : row.city === key && row.city !== null));
  const names = [...new Set(here.map(({ source }) => source))].toSorted();
  return {
    status: names.length === 0 ? 'not_covered' : 'covered',
    sources: names.map((source) => ({
      source,
      county: null,
      since: here.find((row) => row.source === source)?.since ?? null,
      last_good_at: sources.find((one) => one.source === source)?.last_good_at ?? null,
    })),
  };
}

/** Explain a miss in the place. */
function explain(tax: FamilyOfPlace, sales: FamilyOfPlace, { names, counties }: { names: string; counties: string }) {
  if (tax.status === 'unknown')
    return (
      `No record shows the county of ${names}, so it is not known whether a county source covers it: no match says ` +
      'nothing about tax delinquency or auctions there.'
    );
  const covered = (family: FamilyOfPlace, what: string): string => {
    const when = family.sources.map((one) =>
      one.since === null ? one.source : `${one.source} since ${one.since.slice(0, 10)}`,
    );
    switch (family.status) {
      case 'covered':
        return `${what} are read (${when.join(', ')})`;
      case 'partly_covered':
        return `${what} are read of a part only (${when.join(', ')})`;
      default:
        return `${what} are not read`;
    }
  };
  return (
    `${names} is in ${counties}: ${covered(tax, 'tax-delinquency lists')}; ${covered(sales, 'auctions')}. ` +
    'If a kind is not read, no match says nothing about it.'
  );
}

/** Coverage in general, and of the place of a lookup. */
export async function coverageOf(
  snapshot: Snapshot,
  { city, state, zip }: WantedPlace & { readonly state: string | undefined },
): Promise<Coverage> {
  const [all, known] = await Promise.all([sourcesOf(snapshot), knownPlaces(snapshot)]);
  const placeCoverage = () => {
    const counties = countiesOf(known, { city, zip }).filter(
      (fips) => state === undefined || (known.countyNames.get(fips) ?? state).endsWith(state),
    );
    const countyNames = counties.map((fips) => known.countyNames.get(fips) ?? fips).toSorted();
    const here = { counties, city };
    const [tax, sales] = [coverageBy(all, isDebt, here), coverageBy(all, isSale, here)];
    const names = [city, state, zip].filter((name) => name !== undefined).join(' ');
    return {
      city: city ?? null,
      state: state ?? null,
      zip: zip ?? null,
      counties: countyNames,
      explanation: explain(tax, sales, { names, counties: countyNames.join(' or ') }),
      listings: listingsOf(all, { city, zip }),
      tax_delinquency: tax,
      sheriff_sales: sales,
    };
  };
  return {
    note:
      'Tax delinquency and auctions are read for these counties only; for any other county, no match says ' +
      'nothing about the property. Some counties publish no city, some no ZIP and some neither: give both. A match ' +
      'basis with _place_unknown is a record of which only the county is known; it may be of another town.',
    place: city === undefined && state === undefined && zip === undefined ? null : placeCoverage(),
    listing_cities: all.cities,
    tax_delinquency: all.debtCounties,
    sheriff_sales: all.saleCounties,
  };
}
