/**
 * A made-up MLS by RESO Web API, as two vendors serve one: /v2 like MLS Grid (a static token, Data Dictionary 1.7, few
 * searchable fields, no count), which `make run` reads, and /odata like Trestle (OAuth 2.0, Data Dictionary 2.0).
 */
import { createHash } from 'node:crypto';
import { Draw } from '../world/random.ts';
import type { ListingOnDay } from '../world/types.ts';
import type { WorldDay } from '../world/world.ts';
import { perDay, unitTypes } from './parts.ts';
import { BadQuery, namesIn, type Row, tableOf, wholeOf } from './tables.ts';
import { httpDate, json, type SandboxRequest, type SandboxResponse, withValidators } from '../http.ts';

const SITE = 'reso_sandbox_mls';
const SYSTEM_NAME = 'sandbox';

const STATUS = { for_sale: 'Active', under_contract: 'Active Under Contract', sold: 'Closed' } as const;
/** Two to four units: the dictionary's word, and one of the MLS's own. */
const SMALL: Readonly<Record<number, readonly [string, string]>> = {
  2: ['Duplex', 'Duplex Up and Down'],
  3: ['Triplex', 'Triplex'],
  4: ['Quadruplex', 'Fourplex'],
};

const drawFor = (day: WorldDay, key: string): Draw => new Draw(day.world.options.seed, 'page', key);

/** A quarter hour of the day, in one of the forms of time that servers write. */
function modifiedOn(day: string, draw: Draw): string {
  const hour = String(draw.int(6, 20)).padStart(2, '0');
  const minute = draw.pick(['00', '15', '30', '45'] as const);
  return `${day}T${hour}:${minute}:03${draw.pick(['.715Z', 'Z', '+00:00'] as const)}`;
}

/** Street parts by splitting the site's spelling: number, direction, name, suffix, direction, unit. */
function streetParts(day: WorldDay, listing: ListingOnDay): Row {
  const { pre, suffix, post, unit } = day.property(listing.propertyId).address;
  const words = listing.street.split(' ');
  const last = (count: number): string => words.splice(-count, count).join(' ');
  const StreetNumber = words.shift() ?? null;
  const StreetDirPrefix = pre === null ? null : (words.shift() ?? null);
  const UnitNumber = unit === null ? null : last(2);
  const StreetDirSuffix = post === null ? null : last(1);
  const StreetSuffix = suffix === null ? null : last(1);
  return { StreetNumber, StreetDirPrefix, StreetName: words.join(' '), StreetSuffix, StreetDirSuffix, UnitNumber };
}

/** Two to four units are residential income; five and more are a commercial class. */
function typeOf(units: number, draw: Draw): Row {
  const words = SMALL[units];
  if (words === undefined) return { PropertyType: 'Commercial Sale', PropertySubType: 'Multi Family' };
  return { PropertyType: 'Residential Income', PropertySubType: words[draw.chance(0.7) ? 0 : 1] };
}

const withoutBlanks = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

/** A listing on the market. */
function listed(day: WorldDay, listing: ListingOnDay): Row {
  const draw = drawFor(day, listing.listingId);
  // Feeds write zero or null for a blank field.
  const blank = (): 0 | null => (draw.chance(0.5) ? 0 : null);
  const number = (value: string | null): number | null => (value === null ? blank() : Number(value));
  const row: Row = {
    ListingKey: listing.listingId,
    ListingId: listing.listingId.replace('SMLS-', ''),
    OriginatingSystemName: SYSTEM_NAME,
    MlgCanView: true,
    StandardStatus: STATUS[listing.availability],
    ...typeOf(listing.units ?? day.property(listing.propertyId).units, draw),
    ListPrice: number(listing.price),
    NumberOfUnitsTotal: listing.units ?? blank(),
    CapRate: number(listing.capRate),
    NetOperatingIncome: number(listing.noi),
    TaxAnnualAmount: Number(listing.annualTaxes ?? 0),
    YearBuilt: listing.yearBuilt ?? blank(),
    ...streetParts(day, listing),
    City: listing.city,
    StateOrProvince: listing.state,
    PostalCode: draw.chance(0.3) ? `${listing.zip}-${draw.int(1000, 9999)}` : listing.zip,
    ListingContractDate: listing.postedOn,
    OffMarketDate: listing.offMarketOn,
    ModificationTimestamp: modifiedOn(listing.postedOn, draw),
    InternetAddressDisplayYN: true,
    InternetEntireListingDisplayYN: true,
  };
  // Blank fields may be left out.
  return draw.chance(0.5) ? withoutBlanks(row) : row;
}

/** The UnitTypes of each record that states its unit mix. */
const unitTypesByKey = perDay(
  (day): ReadonlyMap<string, readonly Row[]> =>
    new Map(
      day.listings.flatMap(({ site, listingId, unitMix }) =>
        site === SITE && unitMix !== null ? [[listingId, unitTypes(listingId, unitMix)] as const] : [],
      ),
    ),
);

/** A record of no use to readers of multifamily listings: an office, a rented apartment or a deleted listing. */
function unwanted(day: WorldDay, wanted: Row): Row[] {
  const draw = drawFor(day, `beside ${String(wanted.ListingKey)}`);
  if (!draw.chance(0.3)) return [];
  const kind = draw.pick([
    { PropertyType: 'Commercial Sale', PropertySubType: 'Office' },
    { PropertyType: 'Residential Lease', PropertySubType: 'Apartment' },
    { MlgCanView: false },
  ] as const);
  return [{ ...wanted, ...kind, ListingKey: String(wanted.ListingKey).replace('SMLS-', 'SMLS-9') }];
}

/** All records in the order of ModificationTimestamp. */
const records = perDay((day): readonly Row[] => {
  const at = ({ ModificationTimestamp }: Row): number => Date.parse(String(ModificationTimestamp));
  return day.listings
    .filter(({ site }) => site === SITE)
    .map((listing) => listed(day, listing))
    .flatMap((row) => [row, ...unwanted(day, row)])
    .sort((a, b) => at(a) - at(b) || (String(a.ListingKey) < String(b.ListingKey) ? -1 : 1));
});

const withoutSpaces = (value: Row[string] | undefined): string | null =>
  value === null || value === undefined ? null : String(value).replaceAll(' ', '');

/** The same record on a server of Data Dictionary 2.0: words without spaces, one address, a page per listing. */
function asDictionary2(record: Row, host: string): Row {
  const { MlgCanView: _, ...row } = record;
  const { StreetNumber, StreetDirPrefix, StreetName, StreetSuffix, StreetDirSuffix, UnitNumber } = row;
  const parts = [StreetNumber, StreetDirPrefix, StreetName, StreetSuffix, StreetDirSuffix, UnitNumber];
  const street = parts.filter((part) => part !== null && part !== undefined).join(' ');
  // The dictionary lets an unparsed address end with its place.
  const hasPlace = String(row.ListingKey).endsWith('1') || String(row.ListingKey).endsWith('4');
  return {
    ...row,
    PropertyType: withoutSpaces(row.PropertyType),
    PropertySubType: withoutSpaces(row.PropertySubType),
    StandardStatus: withoutSpaces(row.StandardStatus),
    UnparsedAddress: hasPlace
      ? `${street}, ${String(row.City)}, ${String(row.StateOrProvince)} ${String(row.PostalCode)}`
      : street,
    ListingURL: `https://${host}/listing/${String(row.ListingKey)}`,
  };
}

/** Maximum of $top with $expand. */
const MAX_TOP_EXPANDED = 1000;

/** A server sends fewer rows than a client may ask for. */
const MAX_SENT = 50;

/** Secrets by the operator's settings: the token of the MLS, and a key of the census's API, which accepts any. */
export const SANDBOX_SECRETS = { RESO_SANDBOX_MLS_TOKEN: 'sandbox-token', CENSUS_API_KEY: 'sandbox-key' } as const;

/** The client credentials for /odata. */
export const SANDBOX_CLIENT = { id: 'sandbox-client', secret: 'sandbox-secret' } as const;

const tokenOf = (day: WorldDay): string =>
  createHash('sha256').update(`${SANDBOX_CLIENT.secret} ${day.day}`).digest('hex');

const failure = (status: 400 | 401, code: string, message: string): SandboxResponse =>
  json({ error: { code, message } }, status === 401 ? { 'www-authenticate': 'Bearer' } : {}, status);

/** The token endpoint, RFC 6749 section 4.4. */
function token(day: WorldDay, { method, form }: SandboxRequest): SandboxResponse {
  if (method !== 'POST' || form?.get('grant_type') !== 'client_credentials')
    return json({ error: 'unsupported_grant_type' }, {}, 400);
  if (form.get('client_id') !== SANDBOX_CLIENT.id || form.get('client_secret') !== SANDBOX_CLIENT.secret)
    return json({ error: 'invalid_client' }, {}, 401);
  return json(
    { access_token: tokenOf(day), token_type: 'Bearer', expires_in: 3600, scope: 'api' },
    { 'cache-control': 'no-store' },
  );
}

/** Differences between the vendors' servers. */
interface Vendor {
  readonly root: '/v2' | '/odata';
  token(day: WorldDay): string;
  rows(day: WorldDay, host: string): readonly Row[];
  readonly fields: readonly string[];
  readonly searchable: readonly string[];
  readonly maxTop: number;
  readonly counts: boolean;
  /** Fields that it sends without a request. */
  readonly unasked: readonly string[];
  /** @throws BadQuery */
  check(request: SandboxRequest): void;
}

const FIELDS = (
  'ListingKey ListingId OriginatingSystemName StandardStatus PropertyType PropertySubType ListPrice CapRate ' +
  'NumberOfUnitsTotal NetOperatingIncome TaxAnnualAmount YearBuilt UnparsedAddress StreetNumber StreetDirPrefix ' +
  'StreetName StreetSuffix StreetDirSuffix UnitNumber City StateOrProvince PostalCode ListingContractDate ' +
  'OffMarketDate ModificationTimestamp InternetAddressDisplayYN InternetEntireListingDisplayYN'
).split(' ');

const SEARCHABLE =
  'OriginatingSystemName ModificationTimestamp StandardStatus PropertyType ListingId MlgCanView ListOfficeMlsId';

const GRID: Vendor = {
  root: '/v2',
  token: () => SANDBOX_SECRETS.RESO_SANDBOX_MLS_TOKEN,
  rows: records,
  fields: [...FIELDS, 'MlgCanView'],
  searchable: SEARCHABLE.split(' '),
  maxTop: 5000,
  counts: false,
  unasked: ['ListingKey', 'OriginatingSystemName', 'MlgCanView'],
  check: ({ query, headers }) => {
    const filter = query.get('$filter') ?? '';
    if (filter.split('OriginatingSystemName eq ').length !== 2)
      throw new BadQuery('A single OriginatingSystemName must be in the filter');
    if (filter.split(' or ').length > 6) throw new BadQuery('At most 5 "or" in a filter');
    if (!/gzip/u.test(headers['accept-encoding'] ?? '')) throw new BadQuery('Accept-Encoding: gzip is required');
  },
};

const TRESTLE: Vendor = {
  root: '/odata',
  token: tokenOf,
  rows: (day, host) =>
    records(day)
      .filter(({ MlgCanView }) => MlgCanView !== false)
      .map((row) => asDictionary2(row, host)),
  fields: [...FIELDS, 'ListingURL'],
  searchable: FIELDS,
  maxTop: 1000,
  counts: true,
  unasked: ['ListingKey', 'OriginatingSystemName'],
  check: () => undefined,
};

/** Rows that an OData filter selects. @throws BadQuery */
function filtered(rows: readonly Row[], filter: string, searchable: readonly string[]): Row[] {
  const operators = { eq: '=', gt: '>', ge: '>=' } as const;
  const instant = (text: string): string => `unixepoch(${text}, 'subsec')`;
  const condition = filter
    .replaceAll(/(\w+) (gt|ge) (\d{4}-[^\s)]+)/gu, (_, field: string, compare: 'gt' | 'ge', value: string) =>
      [instant(namesIn(field, searchable).join()), operators[compare], instant(`'${value}'`)].join(' '),
    )
    .replaceAll(/(\w+) (eq|in) /gu, (_, field: string, compare: 'eq' | 'in') =>
      [...namesIn(field, searchable), compare === 'eq' ? '=' : 'IN', ''].join(' '),
    );
  return tableOf(rows, searchable)(condition);
}

/** A page of rows, and the address of the next one. @throws BadQuery if $top is above `maxTop` */
function pageOf(request: SandboxRequest, rows: readonly Row[], maxTop: number) {
  const asked = wholeOf(request.query.get('$top'), MAX_SENT);
  if (asked === 0 || asked > maxTop) throw new BadQuery(`$top is ${asked}, at most ${maxTop}`);
  const skip = wholeOf(request.query.get('$skip'), 0);
  const top = Math.min(MAX_SENT, asked);
  const next = new URL(`https://${request.publicHost}${request.path}`);
  for (const [name, value] of request.query) next.searchParams.set(name, value);
  next.searchParams.set('$skip', String(skip + top));
  return { shown: rows.slice(skip, skip + top), next: skip + top < rows.length ? next.href : null };
}

/** The Property resource. @throws BadQuery */
function properties(day: WorldDay, request: SandboxRequest, vendor: Vendor): SandboxResponse {
  vendor.check(request);
  const rows = filtered(vendor.rows(day, request.publicHost), request.query.get('$filter') ?? '', vendor.searchable);
  const selected = request.query.get('$select');
  const fields = selected === null ? null : [...namesIn(selected, vendor.fields), ...vendor.unasked];
  const expanded = request.query.get('$expand');
  if (expanded !== null && expanded !== 'UnitTypes') throw new BadQuery(`${expanded} cannot be expanded`);
  const maxTop = expanded === null ? vendor.maxTop : Math.min(vendor.maxTop, MAX_TOP_EXPANDED);
  const { shown, next } = pageOf(request, rows, maxTop);
  const types = unitTypesByKey(day);
  const root = `https://${request.publicHost}${vendor.root}`;
  return withValidators(
    json(
      {
        '@odata.context': `${root}/$metadata#Property`,
        '@dealfeed.notice': 'SANDBOX: everything here is made up.',
        ...(vendor.counts && request.query.get('$count') === 'true' ? { '@odata.count': rows.length } : {}),
        value: shown.map((row) => ({
          '@odata.id': `${root}/Property('${String(row.ListingKey)}')`,
          ...Object.fromEntries(Object.entries(row).filter(([name]) => fields === null || fields.includes(name))),
          ...(expanded === null ? {} : { UnitTypes: types.get(String(row.ListingKey)) ?? [] }),
        })),
        ...(next === null ? {} : { '@odata.nextLink': next }),
      },
      { 'odata-version': '4.0' },
    ),
    httpDate(day.day),
  );
}

/** A vendor's response: the resource, or one record by its key. */
function answer(day: WorldDay, request: SandboxRequest, vendor: Vendor): SandboxResponse | null {
  if (request.headers['authorization'] !== `Bearer ${vendor.token(day)}`)
    return failure(401, 'unauthorized', 'A bearer token of this service is needed');
  const key = /^\/Property\('([^']+)'\)$/u.exec(request.path.slice(vendor.root.length))?.[1];
  if (key !== undefined) {
    const row = vendor.rows(day, request.publicHost).find(({ ListingKey }) => ListingKey === key);
    return row === undefined ? null : json(row);
  }
  if (request.path !== `${vendor.root}/Property`) return null;
  try {
    return properties(day, request, vendor);
  } catch (error) {
    if (error instanceof BadQuery) return failure(400, 'bad_query', error.message);
    throw error;
  }
}

/** The service's responses. */
export function resoMls(day: WorldDay, request: SandboxRequest): SandboxResponse | null {
  if (request.path === '/oauth2/token') return token(day, request);
  const vendor = [GRID, TRESTLE].find(({ root }) => request.path.startsWith(`${root}/`));
  return vendor === undefined ? null : answer(day, request, vendor);
}
