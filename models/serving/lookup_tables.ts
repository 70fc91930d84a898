/** Other tables of the serving file: what lookups and filters ask of several tables at once. */

interface LookupTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** One SELECT over the published tables and the references. Its rows are in a total order. */
  readonly sql: string;
  /** Each with its columns and perhaps a condition. */
  readonly indexes?: readonly string[];
}

/** The tables whose records a lookup finds by their address, in the order of its answer. */
export const ADDRESSED_TABLES = ['deals', 'signals', 'auctions'] as const;
export type AddressedTable = (typeof ADDRESSED_TABLES)[number];

const KEYS = ['address_key', 'street_key', 'house_low', 'house_high', 'unit_key', 'city', 'state', 'zip'];

const OF_PARCEL = { parcel_key: 'parcel_key', parcel_letters: 'letters_and_digits(parcel_id)' };
/** The other columns of address_keys that a table has, each with its SQL. */
const ADDRESS_COLUMNS: Readonly<Record<AddressedTable, Readonly<Record<string, string>>>> = {
  deals: { county_fips: 'county_fips' },
  signals: { city_basis: 'city_basis', county_fips: 'county_fips', ...OF_PARCEL },
  auctions: { county_fips: 'county_fips', ...OF_PARCEL },
};
const OTHER = ['city_basis', 'county_fips', 'parcel_key', 'parcel_letters'];

/** Address and parcel of each record of a table, without removed signals. Column row is its position. */
function addressesOf(table: AddressedTable): string {
  const own = ADDRESS_COLUMNS[table];
  const isListed = table === 'signals' ? "signal_state <> 'removed' AND " : '';
  const isFound = table === 'deals' ? 'address_key IS NOT NULL' : '(address_key IS NOT NULL OR parcel_id IS NOT NULL)';
  return `SELECT '${table}' AS table_name, row, id, ${KEYS.join(', ')},
      ${OTHER.map((name) => own[name] ?? 'NULL').join(', ')}
    FROM (SELECT *, row_number() OVER () - 1 AS row FROM ${table})
    WHERE ${isListed}${isFound}`;
}

export const LOOKUP_TABLES: readonly LookupTable[] = [
  {
    name: 'address_keys',
    columns: ['table_name', 'row', 'id', ...KEYS, ...OTHER],
    // The records of a street are side by side, so that a lookup reads one page of them.
    sql: `${ADDRESSED_TABLES.map(addressesOf).join(' UNION ALL ')} ORDER BY street_key, house_low, table_name, row`,
    indexes: [
      '(street_key, house_low) WHERE street_key IS NOT NULL',
      '(street_key, house_high, house_low) WHERE house_low < house_high',
      '(parcel_key) WHERE parcel_key IS NOT NULL',
      '(parcel_letters) WHERE parcel_letters IS NOT NULL',
    ],
  },
  {
    // Pages with rows of several records: what they say of the others is sold.
    name: 'list_pages',
    columns: ['page_sha256'],
    sql: `SELECT page_sha256
      FROM (
        SELECT page_sha256, id FROM deals
        UNION SELECT page_sha256, deal_id FROM listing_history
        UNION SELECT page_sha256, id FROM signals
        UNION SELECT page_sha256, id FROM auctions
      )
      WHERE page_sha256 IS NOT NULL GROUP BY page_sha256 HAVING count(*) > 1 ORDER BY page_sha256`,
    indexes: ['(page_sha256)'],
  },
  {
    // First record of each source; of listing sites also by city and ZIP.
    name: 'first_records',
    columns: ['source', 'city', 'zip', 'since'],
    sql: `SELECT source, city, zip, strftime(min(first_seen), '%Y-%m-%dT%H:%M:%SZ')
      FROM (
        SELECT source, NULL AS city, NULL AS zip, first_seen FROM signals
        UNION ALL SELECT source, NULL, NULL, first_seen FROM auctions
        UNION ALL SELECT source, city, zip, first_seen FROM deals
      )
      GROUP BY source, city, zip ORDER BY ALL`,
  },
];
