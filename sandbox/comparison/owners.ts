/** Published owners against the world: the owner of each property, and that no owner of several debts is missing. */
import type { Property } from '../world/types.ts';
import { compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import { LEVY_COUNTIES } from './levies.ts';
import { listingKey } from './listings.ts';
import type { ReadTable } from './snapshot.ts';
import type { TrueRecord } from './truth/records.ts';
import type { Truth } from './truth/truth.ts';

interface OwnedRecord {
  readonly property: number;
  readonly kind: string;
  readonly id: string;
}

const ownerKey = ({ countyFips, owner }: Property): string => `${countyFips} ${owner.name}`;

/** Debts in force of companies on lists that print owners, by county and owner. */
function debtsOfCompanies(
  signals: readonly Row[],
  records: ReadonlyMap<unknown, TrueRecord>,
  truth: Truth,
): Map<string, Property[]> {
  const hasOwner = (row: Row): boolean => row['owner_name'] !== null;
  const properties = signals
    .filter((row) => row['signal_type'] === 'tax_delinquent' && row['signal_state'] === 'listed' && hasOwner(row))
    .flatMap((row) => truth.world.properties.get(records.get(row['id'])?.propertyId ?? '') ?? [])
    .filter(({ owner }) => owner.kind === 'company');
  return Map.groupBy(properties, ownerKey);
}

export async function compareOwners(
  read: ReadTable,
  truth: Truth,
  records: ReadonlyMap<unknown, TrueRecord>,
): Promise<Comparison[]> {
  const signals = await read('signals');
  const companies = debtsOfCompanies(signals, records, truth);
  const listed = new Map(
    truth
      .on(truth.asOf)
      .listings.map((listing) => [listingKey(listing.site, listing.listingId), listing.propertyId] as const),
  );
  const propertyOfDeal = new Map(
    (await read('deals')).map((deal) => [deal['id'], listed.get(listingKey(deal['source'], deal['listing_id']))]),
  );
  const published = (await read('owners')).map((row): Row => {
    const owned = JSON.parse(String(row['properties'])) as readonly OwnedRecord[];
    const names = owned.flatMap(({ id, kind }) => {
      const property = kind === 'listing' ? propertyOfDeal.get(id) : records.get(id)?.propertyId;
      return property === undefined || property === null
        ? []
        : [truth.world.properties.get(property)?.owner.name ?? 'unknown'];
    });
    const debts = owned.filter(({ kind }) => kind === 'tax_delinquent').length;
    return { ...row, names: [...new Set(names)].map(plain).sort(), debts };
  });
  const keyOf = (row: Row): string => `${String(row['county_fips'])} ${plain(String(row['owner_name']))}`;
  const several = [...companies]
    .filter(([, properties]) => new Set(properties.map(({ building }) => building)).size > 1)
    .map(([key, properties]): TrueRow => {
      const [{ owner } = { owner: null }] = properties;
      const isOhio = !LEVY_COUNTIES.includes(key.slice(0, 5));
      return {
        key: `${key.slice(0, 5)} ${plain(owner?.name ?? '')}`,
        fields: {
          owner: { names: [plain(owner?.name ?? '')] },
          ...(isOhio ? { debts: { debts: properties.length } } : {}),
        },
      };
    });
  const expected = new Set(several.map(({ key }) => key));
  const others = published
    .filter((row) => !expected.has(keyOf(row)))
    .map((row): TrueRow => ({ key: keyOf(row), fields: { owner: { names: [plain(String(row['owner_name']))] } } }));
  return compare({ what: 'owners', published, keyOf, truth: [...several, ...others] });
}

/** A name as an organization of several spellings has it. */
const plain = (name: string): string =>
  name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9 ]/gu, '')
    .trim();
