/** The promised interface: paths, prices, parameters and fields. */

const DEAL_FILTERS = 'state city min_price max_price min_cap min_units max_units min_score status'.split(' ');

/** Path: price, then the names of its parameters in order. */
export const ENDPOINTS: Record<string, readonly [price: string, ...parameters: string[]]> = {
  '/api/meta': ['0.00'],
  '/api/deals/ids': ['0.00'],
  '/api/lookup': ['0.02', 'address', 'apn', 'parcel', 'city', 'state'],
  '/api/deals/basic': ['0.01', ...DEAL_FILTERS],
  '/api/deals': ['0.05', ...DEAL_FILTERS],
  '/api/deals/hot': ['0.02'],
  '/api/signals': ['0.03', 'county', 'signal_type', 'min_amount', 'has_address'],
  '/api/auctions': ['0.03', 'county', 'from_date', 'to_date', 'min_appraised', 'include_past'],
  '/api/leads': ['0.25', 'county', 'min_score', 'lead_type'],
  '/api/leads/exclusive': ['1.00', 'county', 'min_score', 'lead_type'],
  '/api/deals/{id}/report': ['1.50', 'id'],
  '/api/filings/recent': ['0.01'],
  '/api/filings': ['0.03'],
  '/api/batch/weekly.csv': ['2.00'],
};

/** A list of names with their kinds. */
const fields = (text: string): readonly string[] => text.trim().split(/\s+(?=\w+:)/u);

/** Fields of a record in order: decimal, integer, boolean, string, uuid, date, timestamp, or the values of an enum. */
export const RECORDS: Record<string, readonly string[]> = {
  deal: fields(`
    id:string address:string city:string state:string zip:string source:string listing_url:string
    list_price:decimal units:integer cap_rate:decimal noi:decimal
    noi_source:stated|derived_from_advertised_cap|underwritten market_rent_2br:decimal
    noi_underwritten:decimal cap_rate_underwritten:decimal dscr:decimal
    dscr_status:computed|insufficient_data|not_applicable deal_score:integer confidence_score:decimal
    why_this_is_interesting:string cap_gap_pct:decimal underwrite_reliability:ok|proxy_out_of_range|unknown
    rental_status:Hot|Warm|Pass motivation_score:integer last_verified:timestamp price_reduction_pct:decimal
    days_on_feed:integer
  `),
  signal: fields(`
    signal_type:...tax_delinquent county:string address:string owner_name:string parcel_id:string
    amount:decimal source_url:string last_seen:timestamp has_address:boolean
    address_status:...pending_parcel_lookup
  `),
  auction: fields(`
    auction_type:...sheriff_sale county:string sale_date:date property_address:string city:string
    appraised_value:decimal opening_bid:decimal plaintiff:string source_url:string
  `),
  lead: fields(`
    lead_type:tax_delinquent|sheriff_sale_auction lead_score:integer score_rationale:object address:string
    source_url:string
  `),
  filing: fields(`
    id:string document_number:string charter_number:string business_name:string filing_date:date
    entity_type:...domestic_llc entity_type_raw:string entity_status:...Good Standing
    registered_agent_name:string registered_agent_status:available|not_provided_by_source agent_addr1:string
    agent_city:string agent_state:string agent_zip:string business_city:string business_state:string
    business_zip:string source_state:...OH naics:string naics_status:available|not_collected_by_source
    source:ohio_sos|colorado_sos source_url:string first_seen:timestamp last_seen:timestamp
    last_updated:timestamp
  `),
};

/** Fields that are never null. */
export const NEVER_NULL: Record<string, readonly string[]> = {
  signal: ['source_url', 'has_address', 'address_status'],
  auction: ['source_url', 'sale_date'],
  lead: ['address', 'source_url', 'lead_score', 'score_rationale'],
  filing: ['document_number', 'business_name', 'filing_date', 'entity_type', 'source_state'],
  deal: ['id', 'dscr_status', 'underwrite_reliability', 'rental_status', 'deal_score', 'confidence_score'],
};
