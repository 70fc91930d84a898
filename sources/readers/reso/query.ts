/** The query of a feed: filter, fields, order and page size, as the server takes them. */
import type { ResoServer } from './server.ts';

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
