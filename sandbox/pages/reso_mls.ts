/**
 * A made-up MLS by RESO Web API, as two vendors serve one: /v2 like MLS Grid (a static token, Data Dictionary 1.7, few
 * searchable fields, no count), which `make run` reads, and /odata like Trestle (OAuth 2.0, Data Dictionary 2.0).
 */
import { createHash } from 'node:crypto';
import { httpDate, json, withValidators, type SandboxRequest, type SandboxResponse } from '../http.ts';
import type { WorldDay } from '../world/world.ts';
import { asDictionary2, records, unitTypesByKey } from './reso_rows.ts';
import { BadQuery, namesIn, tableOf, wholeOf, type Row } from './tables.ts';

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
