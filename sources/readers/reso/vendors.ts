/**
 * Servers of the usual vendors. Change one value of a preset by spreading it: `{ ...bridge('stellar'), lacks:
 * ['CapRate'] }`. MLS Grid's rows are confirmed by two recorded rows, its query by its documentation. No response of
 * Bridge, Spark or Trestle was recorded: their presets follow the vendors' documentation and public code.
 */
import type { ClientCredentials, Dictionary, PropertyType, ResoServer } from './server.ts';

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
  politeness: { minIntervalMs: 1000, concurrency: 1 },
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
