/** Examples of calls and answers, from sample records and schemas. They depend on no snapshot. */
import { z } from 'zod';
import type { Route } from '../routes/define.ts';
import { paramFacts, type ParamFacts } from '../routes/params.ts';
import { problemDocument, type Extras, type Reason } from '../http/problem.ts';
import type { JsonObject } from './schemas.ts';

type Sample = Readonly<Record<string, unknown>>;

const SEEN = '2026-11-20T12:00:00Z';

const SAMPLE_RECORDS: readonly Sample[] = [
  {
    id: 'e261bfc8-055c-5b62-a27c-8744999ffc70',
    address: '1849 120th St',
    city: 'East Cleveland',
    state: 'OH',
    list_price: '373000.00',
    units: 4,
    cap_rate: '7.33',
    cap_rate_underwritten: '7.01',
    dscr: '1.21',
    deal_score: 41,
    source: 'heartland_multifamily',
    listing_url: 'https://www.heartland-multifamily.example/listing/HM-100087/1849-120th-st-east-cleveland-oh',
    absent: {},
  },
  {
    id: 'fb71d30e-1698-5a86-afb8-b85b1babd4f0',
    signal_type: 'tax_delinquent',
    county: 'Hamilton County, OH',
    address: '949 WEXLEFORD RD',
    city: 'CINCINNATI',
    state: 'OH',
    amount: '57026.60',
    amount_to_value_pct: '19.52',
    parcel_id: '0520048819400',
    county_fips: '39061',
    source_url: 'https://www.hcauditor.org.sandbox.example/download/Delinquent/unpaid.xlsx',
    absent: {},
  },
  {
    id: '7a7e9ab3-f4a1-5943-bda0-e88495c12afd',
    auction_type: 'sheriff_sale',
    county: 'Montgomery County, OH',
    sale_date: '2026-11-20',
    property_address: '2344 NORTH MARLMERE CIRCLE',
    city: 'DAYTON',
    appraised_value: '270000.00',
    opening_bid: '180000.00',
    case_number: '2024 CV 01609',
    sale_status: 'scheduled',
    source_url: 'https://montgomery.sheriffsaleauction.ohio.gov.sandbox.example/index.cfm?AUCTIONDATE=11/20/2026',
    absent: {},
  },
  {
    id: '872b736f-ab4b-5930-974c-fe9c70d133fd',
    lead_type: 'sheriff_sale_auction',
    lead_score: 89,
    address: '3240 NETHERSHAW LANE',
    county: 'Cuyahoga County, OH',
    sale_date: '2026-12-09',
    city: 'CLEVELAND',
    appraised_value: '55000.00',
    opening_bid: '1634.04',
    signals_count: 1,
    absent: {},
  },
  {
    id: '02bfe87e-0ff2-5fe4-809e-801065be40d2',
    owner_name: 'KEYSTEAD VENTURES LLC',
    owner_kind: 'company',
    county: 'Cuyahoga County, OH',
    properties_count: 2,
    distressed_count: 2,
    total_amount: '12278.53',
    listed_count: 1,
    kind_counts: { condemned: 1, listing: 1, tax_delinquent: 1 },
    state: 'OH',
    absent: {},
  },
  {
    id: '0f139645-3947-58b1-bbbf-da4ec8e4e2e8',
    document_number: '202630400199',
    business_name: 'SILVERTHREAD EQUITIES LLC',
    filing_date: '2026-10-31',
    entity_type: 'domestic_llc',
    business_city: 'AKRON',
    source_state: 'OH',
    charter_number: '5454099',
    registered_agent_status: 'available',
    agent_city: 'AKRON',
    source: 'ohio_sos',
    source_url: 'https://publicfiles.ohiosos.gov.sandbox.example/free/OnlineBusinessReports/WI0100R.TXT',
    absent: {},
  },
  {
    id: '0ba3647f-7904-52cf-8baf-31d3361583f0',
    document_number: '20261002219',
    business_name: 'Dovetail Equities LLC',
    filing_date: '2026-11-13',
    entity_type: 'domestic_llc',
    business_city: 'Lakewood',
    source_state: 'CO',
    entity_status: 'Good Standing',
    registered_agent_status: 'available',
    agent_city: 'Littleton',
    source: 'colorado_sos',
    source_url: 'https://data.colorado.gov.sandbox.example/resource/4ykn-tg5h.json?entityid=20261002219',
    absent: {},
  },
];

/** Values of other fields of answers, by name. */
const SAMPLE_VALUES: Sample = {
  note: 'Made-up data of the sandbox world: no property, owner, debt, auction or business in it is real.',
  generated_at: SEEN,
  as_of: '2026-11-20',
  snapshot_id: '2026-11-20.01',
  count: 1,
  total_matches: 1,
  fields: ['all'],
  filters: {},
  stale_sources: [],
  next_cursor: null,
  conflict: null,
  absent: {},
  match_basis: 'address_exact',
  understood_as: '1849 120TH ST',
  property: '1849 120th St, East Cleveland, OH 44112',
  assumption_set_id: 'uw-2026.3',
  page_sha256: '97fb78dcfa91749b8f2761a2206e7336b514065f62bf8fd0a286436718cd8dc8',
  last_good_at: SEEN,
  latitude: '41.53584',
  longitude: '-81.57414',
  target_cap_pct: '8.00',
  area: 'East Cleveland, OH',
  source: 'heartland_multifamily',
  summary: ['A sale raises the tax from $3,763 to $5,518; DSCR 1.16; offer up to $278,500.'],
  figure: 'cap_rate_underwritten',
  formula: 'round2(noi_underwritten / list_price * 100)',
  result: '7.01',
};

/** Values of parameters that match records of the sandbox's world, by name. */
const SAMPLE_PARAMS: Readonly<Record<string, string | number | boolean>> = {
  id: 'e261bfc8-055c-5b62-a27c-8744999ffc70',
  metro: 'Cleveland',
  q: 'Cleveland',
  list: 'signals',
  near: '41.4993,-81.6944',
  radius_miles: 5,
  bbox: '-81.88,41.39,-81.53,41.6',
  address: '1849 120th St, East Cleveland, OH',
  addresses: '1849 120th St, East Cleveland, OH',
  apn: '0520048819400',
  parcel: '0520048819400',
  state: 'OH',
  city: 'Cleveland',
  county: 'Cuyahoga',
  zip: '44112',
  min_price: 100_000,
  max_price: 500_000,
  min_cap: 7,
  min_units: 2,
  max_units: 20,
  min_score: 50,
  status: 'Hot',
  signal_type: 'tax_delinquent',
  min_amount: 5000,
  has_address: true,
  property_kind: 'two_to_four',
  from_date: '2026-11-01',
  to_date: '2026-12-31',
  min_appraised: 50_000,
  include_past: true,
  auction_type: 'sheriff_sale',
  lead_type: 'sheriff_sale_auction',
  min_signals: 1,
  min_properties: 2,
  name: 'LLC',
  agent: 'LLC',
  entity_type: 'domestic_llc',
  week: '2026-W46',
  updated_since: '2026-11-20T12:00:00Z',
  limit: 5,
};

/** Parameters of an endpoint's example call, if they are not its first filter and `limit`. */
const SAMPLE_CALLS: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>> = {
  '/api/lookup': { address: '1849 120th St, East Cleveland, OH' },
  '/api/lookup/batch': { addresses: '1849 120th St, East Cleveland, OH|5 Nowhere Rd, Akron, OH' },
  '/api/deals': { state: 'OH', min_cap: 7, limit: 5 },
  '/api/deals/:id/report': {},
  '/api/signals': { county: 'Hamilton', signal_type: 'tax_delinquent', limit: 5 },
  '/api/auctions': { county: 'Montgomery', limit: 5 },
  '/api/leads': { county: 'Cuyahoga', min_score: 50, limit: 5 },
  '/api/leads/exclusive': { county: 'Cuyahoga' },
  '/api/owners': { min_properties: 2, limit: 5 },
  '/ohio/api/batch/weekly.csv': {},
  '/colorado/api/batch/weekly.csv': {},
};

interface Shape {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly minItems?: number;
  readonly additionalProperties?: Shape | boolean;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-11-20',
  'date-time': '2026-11-20T12:00:00Z',
  uuid: 'e261bfc8-055c-5b62-a27c-8744999ffc70',
  uri: 'https://county.example/records/1',
};
/** Texts for patterns: figures with two or more decimals, hashes, codes. The first one that matches is used. */
const TEXTS = ['text', '12.50', '12.5000', '41.54128', '12', '39035', 'a'.repeat(64), 'uw-2026.3'];

const textFor = ({ format, pattern }: Shape): string =>
  (format === undefined ? undefined : FORMATS[format]) ??
  TEXTS.find((text) => pattern === undefined || new RegExp(pattern, 'u').test(text)) ??
  'text';

const typesOf = ({ type }: Shape): readonly string[] => (typeof type === 'string' ? [type] : (type ?? []));

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

/** Whether a sample value has this shape; its parts are not checked. */
function fits(shape: Shape, value: unknown): boolean {
  const choices = shape.anyOf ?? shape.oneOf;
  if (choices) return choices.some((choice) => fits(choice, value));
  if (shape.const !== undefined) return value === shape.const;
  if (shape.enum) return shape.enum.includes(value);
  const type = typeOf(value);
  const types = typesOf(shape);
  if (types.length > 0 && !types.includes(type) && !(type === 'integer' && types.includes('number'))) return false;
  if (type === 'object') return (shape.required ?? []).every((name) => Object.hasOwn(value as object, name));
  if (typeof value !== 'string') return true;
  if (shape.format === 'date') return /^\d{4}-\d{2}-\d{2}$/u.test(value);
  if (shape.format === 'date-time') return /^\d{4}-\d{2}-\d{2}T/u.test(value);
  return shape.pattern === undefined || new RegExp(shape.pattern, 'u').test(value);
}

/** The sample that shares the most fields with an object, if it is a record. */
function sampleFor(properties: Readonly<Record<string, Shape>>, samples: readonly Sample[]): Sample | undefined {
  if (!Object.hasOwn(properties, 'absent') || !Object.hasOwn(properties, 'id')) return undefined;
  const shared = (sample: Sample): number =>
    Object.keys(sample).filter((name) => Object.hasOwn(properties, name)).length;
  return samples.toSorted((a, b) => shared(b) - shared(a))[0];
}

/** Where a value is: the samples for records in it, and the record that it is part of. */
interface Place {
  readonly samples: readonly Sample[];
  readonly record: Sample;
}

/** A record of a list has the sample's fields, and any other object has all. */
function objectExample({ properties = {}, required = [] }: Shape, { samples, record }: Place): Record<string, unknown> {
  const sample = sampleFor(properties, samples);
  const place = { samples, record: sample ?? record };
  const first = Object.keys(sample ?? {}).filter((name) => Object.hasOwn(properties, name));
  const isPartial = sample !== undefined && required.length === 1;
  const names = isPartial ? first : [...new Set([...first, ...Object.keys(properties)])];
  return Object.fromEntries(
    names.map((name) => {
      const shape = properties[name] ?? {};
      const value = place.record[name] ?? SAMPLE_VALUES[name];
      return [name, value !== undefined && fits(shape, value) ? value : exampleOf(shape, place)];
    }),
  );
}

/** An example of a shape. */
function exampleOf(shape: Shape, place: Place): unknown {
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return shape.enum[0];
  const choices = shape.anyOf ?? shape.oneOf ?? shape.allOf;
  if (choices) return exampleOf(choices[0] ?? {}, place);
  switch (typesOf(shape)[0]) {
    case 'object':
      return objectExample(shape, place);
    case 'array':
      return shape.items ? [exampleOf(shape.items, place)] : [];
    case 'integer':
    case 'number':
      return Math.max(shape.minimum ?? 1, 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return textFor(shape);
  }
}

/** Cached by response: writing a schema as JSON is slow, and every server of a process has the same ones. */
const examples = new WeakMap<z.ZodType, unknown>();

const FILE_COLUMNS = ['id', 'document_number', 'business_name', 'filing_date', 'entity_type', 'source_state'];

/** An example of the answer of a route; of a file, its first lines. */
export function answerExample({ path, media, response }: Pick<Route, 'path' | 'media' | 'response'>): unknown {
  const isColorado = path.startsWith('/colorado/');
  const samples = isColorado ? SAMPLE_RECORDS.toReversed() : SAMPLE_RECORDS;
  if (media === 'application/atom+xml') return '<feed xmlns="http://www.w3.org/2005/Atom"></feed>';
  if (media === 'text/csv') {
    const record = samples.find((sample) => sample['document_number'] !== undefined) ?? {};
    return `${FILE_COLUMNS.join(',')}\n${FILE_COLUMNS.map((name) => String(record[name])).join(',')}\n`;
  }
  const example = examples.get(response) ?? exampleOf(z.toJSONSchema(response) as Shape, { samples, record: {} });
  examples.set(response, example);
  return example;
}

/** A value of a parameter that is accepted, and matches records of the sandbox if the name is known. */
export function paramExample(name: string, facts: ParamFacts): string | number | boolean {
  const { kind, values, names, range } = facts;
  const sample = SAMPLE_PARAMS[name];
  const isIn = values === undefined || values.includes(String(sample));
  if (sample !== undefined && isIn && (range === undefined || Number(sample) >= range[0])) return sample;
  switch (kind) {
    case 'boolean':
      return true;
    case 'integer':
      return range?.[0] ?? 1;
    case 'number':
      return 1;
    case 'date':
    case 'uuid':
      return FORMATS[kind] ?? '';
    default:
      return values?.[0] ?? names?.[0] ?? 'text';
  }
}

/** The parameters of an example call: those listed, else the first filter and the length of the page. */
export const exampleCall = ({ path, params }: Pick<Route, 'path' | 'params'>): (typeof SAMPLE_CALLS)[string] =>
  SAMPLE_CALLS[path] ??
  Object.fromEntries(
    Object.entries(params)
      .filter(([name], i) => i === 0 || name === 'limit')
      .map(([name, schema]) => [name, paramExample(name, paramFacts(schema))]),
  );

/** URL of the example call of a route. */
export function exampleUrl(route: Pick<Route, 'path' | 'pathParams' | 'params'>, publicUrl: string): string {
  const filled = Object.entries(route.pathParams ?? {}).reduce(
    (path, [name, schema]) => path.replace(`:${name}`, String(paramExample(name, paramFacts(schema)))),
    route.path,
  );
  const query = new URLSearchParams(
    Object.entries(exampleCall(route)).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return `${publicUrl}${filled}${query === '' ? '' : `?${query}`}`;
}

const INSTANCE = '2f1c7a4e-6d3b-4c55-9d0a-1f6f0c9f8f11';

interface Shown {
  readonly detail: string;
  readonly extras?: Extras;
}

/** Reasons with an example, and its details. */
const EXAMPLES: Partial<Record<Reason, (route: Route) => Shown>> = {
  unknown_parameter: ({ params }) => ({
    detail: 'There is no parameter color.',
    extras: { field: 'color', accepted: Object.keys(params) },
  }),
  payment_required: ({ price }) => ({
    detail: 'Sign the terms in the PAYMENT-REQUIRED header and send the request again.',
    extras: { price: `$${price}`, protocol: 'x402 version 2' },
  }),
  no_matches: ({ path, miss }) => ({
    detail: 'Nothing matches. Nothing was charged.',
    ...(miss ? { extras: answerExample({ path, response: miss }) as Extras } : {}),
  }),
};

/** An example for a status with these reasons; empty if none of them has one. */
export function problemExample(route: Route, reasons: readonly string[]): JsonObject {
  const reason = (Object.keys(EXAMPLES) as Reason[]).find((name) => reasons.includes(name));
  const shown = reason && EXAMPLES[reason]?.(route);
  if (!shown) return {};
  const { detail, extras = {} } = shown;
  // The fields of every problem document come last, so that no example value replaces them.
  const document = problemDocument(reason, detail, { billed: false, instance: INSTANCE });
  return { example: { ...extras, ...document } };
}
