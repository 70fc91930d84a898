/** The promised interface: paths, prices, parameters and fields, and how to compare them with OpenAPI schemas. */

export interface Schema {
  type?: string | string[];
  enum?: string[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  anyOf?: Schema[];
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
}
interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: Schema;
}
interface Operation {
  parameters: Parameter[];
  security: unknown[];
  'x-price-usd': string;
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}
export interface Document {
  info: { version: string };
  paths: Record<string, { get: Operation }>;
  components: { schemas: Record<string, Schema> };
}

/** Path: price, then parameters as `name:type`; the type of an enum is its values, of a range its bounds. */
export const ENDPOINTS: Record<string, readonly [price: string, ...parameters: string[]]> = {
  '/api/meta': ['0.00'],
  '/api/deals/ids': ['0.00'],
  '/api/lookup': ['0.02', 'address:string', 'apn:string', 'parcel:string', 'city:string', 'state:string'],
  '/api/deals/basic': [
    '0.01',
    'state:string',
    'city:string',
    'min_price:number',
    'max_price:number',
    'min_cap:number',
    'min_units:integer',
    'max_units:integer',
    'min_score:0-100',
    'status:Hot|Warm|Pass',
  ],
  '/api/deals': [
    '0.05',
    'state:string',
    'city:string',
    'min_price:number',
    'max_price:number',
    'min_cap:number',
    'min_units:integer',
    'max_units:integer',
    'min_score:0-100',
    'status:Hot|Warm|Pass',
  ],
  '/api/deals/hot': ['0.02'],
  '/api/signals': ['0.03', 'county:string', 'signal_type:string', 'min_amount:number', 'has_address:boolean'],
  '/api/auctions': [
    '0.03',
    'county:string',
    'from_date:date',
    'to_date:date',
    'min_appraised:number',
    'include_past:boolean',
  ],
  '/api/leads': ['0.25', 'county:string', 'min_score:0-100', 'lead_type:tax_delinquent|sheriff_sale_auction'],
  '/api/leads/exclusive': ['1.00', 'county:string', 'min_score:0-100', 'lead_type:tax_delinquent|sheriff_sale_auction'],
  '/api/deals/{id}/report': ['1.50', 'id:uuid'],
  '/api/filings/recent': ['0.01'],
  '/api/filings': ['0.03'],
  '/api/batch/weekly.csv': ['2.00'],
};

/** Fields of a record in order: decimal, integer, boolean, string, uuid, date, timestamp, or the values of an enum. */
export const RECORDS: Record<string, readonly string[]> = {
  deal: [
    'id:string',
    'address:string',
    'city:string',
    'state:string',
    'zip:string',
    'source:string',
    'listing_url:string',
    'list_price:decimal',
    'units:integer',
    'cap_rate:decimal',
    'noi:decimal',
    'noi_source:stated|derived_from_advertised_cap|underwritten',
    'market_rent_2br:decimal',
    'noi_underwritten:decimal',
    'cap_rate_underwritten:decimal',
    'dscr:decimal',
    'dscr_status:computed|insufficient_data|not_applicable',
    'deal_score:integer',
    'confidence_score:decimal',
    'why_this_is_interesting:string',
    'cap_gap_pct:decimal',
    'underwrite_reliability:ok|proxy_out_of_range|unknown',
    'rental_status:Hot|Warm|Pass',
    'motivation_score:integer',
    'last_verified:timestamp',
    'price_reduction_pct:decimal',
    'days_on_feed:integer',
  ],
  signal: [
    'signal_type:...tax_delinquent',
    'county:string',
    'address:string',
    'owner_name:string',
    'parcel_id:string',
    'amount:decimal',
    'source_url:string',
    'last_seen:timestamp',
    'has_address:boolean',
    'address_status:...pending_parcel_lookup',
  ],
  auction: [
    'auction_type:...sheriff_sale',
    'county:string',
    'sale_date:date',
    'property_address:string',
    'city:string',
    'appraised_value:decimal',
    'opening_bid:decimal',
    'plaintiff:string',
    'source_url:string',
  ],
  lead: [
    'lead_type:tax_delinquent|sheriff_sale_auction',
    'lead_score:integer',
    'score_rationale:object',
    'address:string',
    'source_url:string',
  ],
  filing: [
    'id:string',
    'document_number:string',
    'charter_number:string',
    'business_name:string',
    'filing_date:date',
    'entity_type:...domestic_llc',
    'entity_type_raw:string',
    'entity_status:...Good Standing',
    'registered_agent_name:string',
    'registered_agent_status:available|not_provided_by_source',
    'agent_addr1:string',
    'agent_city:string',
    'agent_state:string',
    'agent_zip:string',
    'business_city:string',
    'business_state:string',
    'business_zip:string',
    'source_state:...OH',
    'naics:string',
    'naics_status:available|not_collected_by_source',
    'source:ohio_sos|colorado_sos',
    'source_url:string',
    'first_seen:timestamp',
    'last_seen:timestamp',
    'last_updated:timestamp',
  ],
};

/** Fields that are never null. */
export const NEVER_NULL: Record<string, readonly string[]> = {
  signal: ['source_url', 'has_address', 'address_status'],
  auction: ['source_url', 'sale_date'],
  lead: ['address', 'source_url', 'lead_score', 'score_rationale'],
  filing: ['document_number', 'business_name', 'filing_date', 'entity_type', 'source_state'],
  deal: ['id', 'dscr_status', 'underwrite_reliability', 'rental_status', 'deal_score', 'confidence_score'],
};

/** The type of a schema in the notation above, and whether it may be null. */
export function typeOf(schema: Schema | undefined): { kind: string; nullable: boolean } {
  if (Array.isArray(schema?.type))
    return {
      ...typeOf({ ...schema, type: schema.type.find((t) => t !== 'null') ?? '' }),
      nullable: schema.type.includes('null'),
    };
  if (schema?.anyOf)
    return {
      kind: typeOf(schema.anyOf.find((s) => s.type !== 'null')).kind,
      nullable: schema.anyOf.some((s) => s.type === 'null'),
    };
  const kind = schema?.enum
    ? schema.enum.join('|')
    : schema?.format === 'date-time'
      ? 'timestamp'
      : (schema?.format ??
        (schema?.pattern?.includes('\\d{2}$')
          ? 'decimal'
          : schema?.maximum === 100
            ? `${schema.minimum}-${schema.maximum}`
            : (schema?.type ?? '')));
  return { kind: String(kind), nullable: false };
}

/** Whether a type is the promised one; `...x` is an enum with the value x. */
export const matchesType = (kind: string, promised: string): boolean =>
  promised.startsWith('...') ? kind.split('|').includes(promised.slice(3)) : kind === promised;
