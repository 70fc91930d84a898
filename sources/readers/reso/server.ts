/**
 * Declaration of a feed's RESO Web API server, the presets of the usual vendors, and the query of a feed. Change one
 * value of a preset by spreading it: `{ ...bridge('stellar'), lacks: ['CapRate'] }`. MLS Grid's rows are confirmed by
 * two recorded rows, its query by its documentation. No response of Bridge, Spark or Trestle was recorded: their
 * presets follow the vendors' documentation and public code.
 */

/** Version of the RESO Data Dictionary that the server follows. ListingURL exists from 2.0 on. */
export type Dictionary = '1.7' | '2.0' | '2.1';

/** A property type to read, in the server's spelling. */
export interface PropertyType {
  readonly type: string;
  /**
   * Subtypes to read, compared without case, spaces and punctuation. Rows of other subtypes are left out after reading,
   * because some servers cannot filter by subtype, and many use words of their own. Default: all subtypes.
   */
  readonly subtypes?: readonly string[];
}

/** OAuth 2.0 client credentials. */
interface ClientCredentials {
  readonly tokenUrl: string;
  readonly scope?: string;
}

export interface ResoServer {
  /** Root of the OData service, without a slash at its end. */
  readonly service: string;
  readonly dictionary: Dictionary;
  /** "token": a bearer token that the vendor issues once. */
  readonly auth: 'token' | ClientCredentials;
  /** Value of OriginatingSystemName to request, if the service holds several MLSs. */
  readonly systemName?: string;
  readonly types: readonly PropertyType[];
  /** StandardStatus values of listings on the market, in the server's spelling. */
  readonly onMarket: readonly string[];
  /** Dictionary fields that the server does not have; `$select` omits them. */
  readonly lacks: readonly string[];
  /** Whether the server marks deleted listings by MlgCanView. */
  readonly hasCanView: boolean;
  /** Whether the server sends a listing's UnitTypes, its unit mix, by `$expand`. */
  readonly expandsUnitTypes: boolean;
  /**
   * Order of the rows: "asked" requests it by ModificationTimestamp, "by_modification" if the server always has that
   * order, "unknown" if it has its own. A read can only continue from a timestamp in the first two.
   */
  readonly order: 'asked' | 'by_modification' | 'unknown';
  /** Whether to request the total number of rows, to check the read against it. */
  readonly count: boolean;
  readonly pageSize: number;
  /** Maximum number of rows that one query can page through. The read then continues from the last timestamp. */
  readonly maxRows?: number;
  /** Maximum number of "or" in a filter. With more, `in` is used. */
  readonly maxOr?: number;
}

/** A word without case, spaces and punctuation: "Multi Family", "Multi-Family" and "MultiFamily" are equal. */
export const plainWord = (word: string): string => word.toLowerCase().replace(/[^a-z0-9]+/gu, '');

const MULTI_FAMILY = ['Multi Family'];

/**
 * "Residential Income" holds two to four units. The dictionary has "Multi Family", five units and more, only in the
 * commercial classes.
 */
const TYPES: readonly PropertyType[] = [
  { type: 'Residential Income' },
  { type: 'Commercial Sale', subtypes: MULTI_FAMILY },
];

const ON_MARKET = ['Active', 'Active Under Contract', 'Pending'];

const withoutSpaces = (word: string): string => word.replaceAll(' ', '');

interface PlainOptions {
  /** Default: 2.0. */
  readonly dictionary?: Dictionary;
  /** Default: a bearer token. */
  readonly auth?: ClientCredentials;
}

/** A server that follows the standard, of no vendor below. Data Dictionary 2.1 adds a third type. Not recorded. */
export const reso = (service: string, { dictionary = '2.0', auth }: PlainOptions = {}): ResoServer => ({
  service,
  dictionary,
  auth: auth ?? 'token',
  types: dictionary === '2.1' ? [...TYPES, { type: 'Commercial Real Estate', subtypes: MULTI_FAMILY }] : TYPES,
  onMarket: ON_MARKET,
  lacks: [],
  hasCanView: false,
  expandsUnitTypes: false,
  order: 'asked',
  count: true,
  pageSize: 200,
});

/**
 * MLS Grid, by the name of the MLS in OriginatingSystemName, such as "northstar". Filters only a few fields, at most
 * five "or"; at most 2 requests per second, 7,200 per hour, 40,000 per day. With UnitTypes, at most 1,000 rows per
 * request. Whether it counts rows is not documented.
 */
export const mlsGrid = (systemName: string): ResoServer => ({
  ...reso('https://api.mlsgrid.com/v2', { dictionary: '1.7' }),
  systemName,
  hasCanView: true,
  expandsUnitTypes: true,
  order: 'by_modification',
  count: false,
  pageSize: 1000,
  maxOr: 5,
});

/** Bridge, by the dataset of the MLS. $skip ends at 10,000 rows. Not recorded; its request limits are not known. */
export const bridge = (dataset: string): ResoServer => ({
  ...reso(`https://api.bridgedataoutput.com/api/v2/OData/${encodeURIComponent(dataset)}`),
  maxRows: 10_000,
});

/**
 * Spark, with a key of the replication role; without that role set pageSize to 25. Its order is by ListingKey. Not
 * recorded; its request limits are not known.
 */
export const spark = (): ResoServer => ({
  ...reso('https://replication.sparkapi.com/Version/3/Reso/OData'),
  order: 'unknown',
  pageSize: 1000,
});

/**
 * Trestle. Its words have no spaces; at most 180 requests per minute and 7,200 per hour. If the license covers several
 * MLSs, one feed each with its `systemName`. Not recorded.
 */
export const trestle = (systemName?: string): ResoServer => ({
  ...reso('https://api.cotality.com/trestle/odata', {
    auth: { tokenUrl: 'https://api.cotality.com/trestle/oidc/connect/token', scope: 'api' },
  }),
  ...(systemName === undefined ? {} : { systemName }),
  types: TYPES.map(({ type, ...rest }) => ({ ...rest, type: withoutSpaces(type) })),
  onMarket: ON_MARKET.map(withoutSpaces),
  pageSize: 1000,
});

const FIELDS = (
  'ListingKey StandardStatus PropertyType PropertySubType ListPrice NumberOfUnitsTotal CapRate NetOperatingIncome ' +
  'TaxAnnualAmount YearBuilt UnparsedAddress StreetNumber StreetDirPrefix StreetName StreetSuffix StreetDirSuffix ' +
  'UnitNumber City StateOrProvince PostalCode ListingContractDate OffMarketDate ModificationTimestamp ' +
  'InternetAddressDisplayYN InternetEntireListingDisplayYN'
).split(' ');

/** Fields to request. */
const fieldsOf = ({ dictionary, hasCanView, lacks }: ResoServer): string[] =>
  [...FIELDS, ...(dictionary === '1.7' ? [] : ['ListingURL']), ...(hasCanView ? ['MlgCanView'] : [])].filter(
    (field) => !lacks.includes(field),
  );

const quoted = (word: string): string => `'${word.replaceAll("'", "''")}'`;

const equals = (field: string, word: string): string => `${field} eq ${quoted(word)}`;

function oneOf(field: string, words: readonly string[], usesIn: boolean): string {
  const [only] = words;
  if (words.length === 1 && only !== undefined) return equals(field, only);
  if (usesIn) return `${field} in (${words.map(quoted).join(',')})`;
  return `(${words.map((word) => equals(field, word)).join(' or ')})`;
}

/** @param since only rows modified at this instant or later */
function buildFilter(server: ResoServer, since: string | null): string {
  const types = server.types.map(({ type }) => type);
  const ors = types.length - 1 + (server.onMarket.length - 1);
  const usesIn = server.maxOr !== undefined && ors > server.maxOr;
  return [
    ...(server.systemName === undefined ? [] : [equals('OriginatingSystemName', server.systemName)]),
    ...(server.hasCanView ? ['MlgCanView eq true'] : []),
    oneOf('PropertyType', types, usesIn),
    oneOf('StandardStatus', server.onMarket, usesIn),
    ...(since === null ? [] : [`ModificationTimestamp ge ${since}`]),
  ].join(' and ');
}

/** Address of the feed's query. @param since only rows modified at this instant or later */
export function queryUrl(server: ResoServer, since: string | null): string {
  const query = new URLSearchParams({
    $filter: buildFilter(server, since),
    $select: fieldsOf(server).join(','),
    ...(server.expandsUnitTypes ? { $expand: 'UnitTypes' } : {}),
    ...(server.order === 'asked' ? { $orderby: 'ModificationTimestamp,ListingKey' } : {}),
    $top: String(server.pageSize),
    ...(server.count ? { $count: 'true' } : {}),
  });
  return `${server.service}/Property?${query.toString().replaceAll('+', '%20')}`;
}

/** Address of one record, for feeds without a page per listing. It opens with the feed's license only. */
export const recordUrl = ({ service }: ResoServer, key: string): string =>
  `${service}/Property(${encodeURIComponent(quoted(key))})`;
