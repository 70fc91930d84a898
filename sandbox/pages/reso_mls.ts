/** A made-up MLS: OAuth 2.0 client credentials, then the Property resource of the RESO Web API. */
import { createHash } from 'node:crypto';
import { httpDate, json, page, withValidators, type SandboxRequest, type SandboxResponse } from '../http.ts';
import { Draw } from '../world/random.ts';
import type { ListingOnDay, WorldDay } from '../world/types.ts';
import { escapeHtml, htmlPage, priceText } from './html.ts';
import { perDay } from './per_day.ts';

/** The server sends fewer rows than a client may ask for. */
const MAX_PAGE_SIZE = 50;
const STATUS = { for_sale: 'Active', under_contract: 'Active Under Contract', sold: 'Closed' } as const;

/** The client credentials of the MLS, by the operator's settings. */
export const SANDBOX_SECRETS = {
  RESO_SANDBOX_MLS_CLIENT_ID: 'sandbox-client',
  RESO_SANDBOX_MLS_CLIENT_SECRET: 'sandbox-secret',
} as const;

const tokenOf = (day: WorldDay): string =>
  createHash('sha256').update(`${SANDBOX_SECRETS.RESO_SANDBOX_MLS_CLIENT_SECRET} ${day.day}`).digest('hex');

type Property = Readonly<Record<string, string | number | null>>;

const properties = perDay((day): Property[] =>
  day.listings
    .filter(({ site }) => site === 'reso_sandbox_mls')
    .map((listing) => property(day, listing))
    .sort((a, b) =>
      String(a.ModificationTimestamp) === String(b.ModificationTimestamp)
        ? String(a.ListingKey) < String(b.ListingKey)
          ? -1
          : 1
        : String(a.ModificationTimestamp) < String(b.ModificationTimestamp)
          ? -1
          : 1,
    ),
);

function property(day: WorldDay, listing: ListingOnDay): Property {
  const draw = new Draw(day.world.options.seed, 'page', listing.listingId);
  // Feeds write zero or null for a blank field.
  const blank = (): 0 | null => (draw.chance(0.5) ? 0 : null);
  const number = (value: string | null): number | null => (value === null ? blank() : Number(value));
  const units = listing.units;
  return {
    ListingKey: listing.listingId,
    ListingId: listing.listingId.replace('SMLS-', ''),
    ListingURL: `https://api.sandbox-mls.example${listing.path}`,
    StandardStatus: STATUS[listing.availability],
    PropertyType: 'Residential Income',
    PropertySubType: { 2: 'Duplex', 3: 'Triplex', 4: 'Quadruplex' }[units ?? 0] ?? 'MultiFamily',
    ListPrice: number(listing.price),
    NumberOfUnitsTotal: units ?? blank(),
    CapRate: number(listing.capRate),
    NetOperatingIncome: number(listing.noi),
    YearBuilt: listing.yearBuilt ?? blank(),
    UnparsedAddress: listing.street,
    City: listing.city,
    StateOrProvince: listing.state,
    PostalCode: listing.zip,
    ListingContractDate: listing.postedOn,
    ModificationTimestamp: instantOn(listing.postedOn, draw),
  };
}

/** A quarter hour of the day. */
function instantOn(day: string, draw: Draw): string {
  const hour = String(draw.int(6, 20)).padStart(2, '0');
  return `${day}T${hour}:${draw.pick(['00', '15', '30', '45'] as const)}:00Z`;
}

const failure = (status: 400 | 401, code: string, message: string): SandboxResponse =>
  json({ error: { code, message } }, status === 401 ? { 'www-authenticate': 'Bearer' } : {}, status);

/** The token endpoint, RFC 6749 section 4.4. */
function token(day: WorldDay, { method, form }: SandboxRequest): SandboxResponse {
  if (method !== 'POST' || form?.get('grant_type') !== 'client_credentials')
    return json({ error: 'unsupported_grant_type' }, {}, 400);
  if (
    form.get('client_id') !== SANDBOX_SECRETS.RESO_SANDBOX_MLS_CLIENT_ID ||
    form.get('client_secret') !== SANDBOX_SECRETS.RESO_SANDBOX_MLS_CLIENT_SECRET
  )
    return json({ error: 'invalid_client' }, {}, 401);
  return json(
    { access_token: tokenOf(day), token_type: 'Bearer', expires_in: 3600, scope: 'api' },
    { 'cache-control': 'no-store' },
  );
}

/** The one form of filter that this server knows. */
const FILTER = new RegExp(
  "^PropertyType eq '([^']*)' and " +
    "\\((StandardStatus eq '[^']*'(?: or StandardStatus eq '[^']*')*)\\)" +
    '(?: and ModificationTimestamp (gt|ge) (\\S+))?$',
  'u',
);

/** Rows that a filter selects, or null for an unknown filter. */
function filtered(rows: readonly Property[], filter: string): readonly Property[] | null {
  const match = FILTER.exec(filter);
  if (!match) return null;
  const [, type, statuses = '', compare, from] = match;
  const wanted = new Set([...statuses.matchAll(/'([^']*)'/gu)].map(([, word]) => word));
  return rows.filter(
    (row) =>
      row.PropertyType === type &&
      wanted.has(String(row.StandardStatus)) &&
      (from === undefined ||
        String(row.ModificationTimestamp) > from ||
        (compare === 'ge' && row.ModificationTimestamp === from)),
  );
}

function propertyPage(day: WorldDay, request: SandboxRequest): SandboxResponse {
  if (request.headers['authorization'] !== `Bearer ${tokenOf(day)}`)
    return failure(401, 'unauthorized', 'A bearer token of this service is needed');
  const rows = filtered(properties(day), request.query.get('$filter') ?? '');
  if (!rows) return failure(400, 'bad_filter', `The filter is not understood: ${request.query.get('$filter') ?? ''}`);
  const fields = request.query.get('$select')?.split(',');
  const skip = Number(request.query.get('$skip') ?? 0);
  const top = Math.min(MAX_PAGE_SIZE, Number(request.query.get('$top') ?? MAX_PAGE_SIZE));
  const shown = rows.slice(skip, skip + top);
  const next = new URL(`https://${request.publicHost}${request.path}`);
  for (const [name, value] of request.query) next.searchParams.set(name, value);
  next.searchParams.set('$skip', String(skip + top));
  return withValidators(
    json(
      {
        '@odata.context': `https://${request.publicHost}/odata/$metadata#Property`,
        '@dealfeed.notice': 'SANDBOX: everything here is made up.',
        ...(request.query.get('$count') === 'true' ? { '@odata.count': rows.length } : {}),
        value: shown.map((row) =>
          Object.fromEntries(Object.entries(row).filter(([name]) => fields?.includes(name) ?? true)),
        ),
        ...(skip + top < rows.length ? { '@odata.nextLink': next.href } : {}),
      },
      { 'odata-version': '4.0' },
    ),
    httpDate(day.day),
  );
}

/** The service's responses. */
export function resoMls(day: WorldDay, request: SandboxRequest): SandboxResponse | null {
  if (request.path === '/oauth2/token') return token(day, request);
  if (request.path === '/odata/Property') return propertyPage(day, request);
  const listing = day.listings.find(({ site, path }) => site === 'reso_sandbox_mls' && path === request.path);
  return listing
    ? page(
        htmlPage(
          listing.street,
          `<h1>${escapeHtml(`${listing.street}, ${listing.city}`)}</h1>\n<p>${priceText(listing.price)}</p>`,
        ),
      )
    : null;
}
