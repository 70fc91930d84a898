/** The fields of the query builder: each parameter with a label in words, its group and the record field it limits. */
import { stateName } from '../../../routes/lookup/states.ts';

export type Group = 'place' | 'kind' | 'figures' | 'dates' | 'more';

export const GROUPS: readonly (readonly [group: Group, title: string])[] = [
  ['place', 'Place'],
  ['kind', 'Kind'],
  ['figures', 'Figures'],
  ['dates', 'Dates'],
  ['more', 'More filters and output'],
];

export interface Field {
  readonly label: string;
  readonly group: Group;
  /** Unit after the label. */
  readonly unit?: string;
  /** Field of the record, and how the value limits it. */
  readonly limits?: readonly [field: string, how: '' | 'at least' | 'at most' | 'from' | 'to' | 'has'];
}

const field = (label: string, group: Group, limits?: Field['limits'], unit?: string): Field => ({
  label,
  group,
  ...(limits === undefined ? {} : { limits }),
  ...(unit === undefined ? {} : { unit }),
});

const FIELDS: Readonly<Record<string, Field>> = {
  state: field('State', 'place', ['state', '']),
  county: field('County', 'place', ['county', 'has']),
  city: field('City', 'place', ['city', '']),
  zip: field('ZIP', 'place', ['zip', '']),
  address: field('Street address', 'place'),
  addresses: field('Street addresses', 'place'),
  apn: field('Parcel number (APN)', 'place'),
  parcel: field('Parcel number', 'place'),
  status: field('Rental rating', 'kind', ['rental_status', '']),
  signal_type: field('Kind of signal', 'kind', ['signal_type', '']),
  auction_type: field('Kind of auction', 'kind', ['auction_type', '']),
  lead_type: field('Kind of lead', 'kind', ['lead_type', '']),
  property_kind: field('Kind of property', 'kind', ['property_kind', '']),
  entity_type: field('Kind of business', 'kind', ['entity_type', '']),
  name: field('Name', 'kind', ['name', 'has']),
  agent: field('Registered agent', 'kind', ['agent', 'has']),
  min_price: field('Asking price from', 'figures', ['list_price', 'at least'], '$'),
  max_price: field('Asking price to', 'figures', ['list_price', 'at most'], '$'),
  min_units: field('Units from', 'figures', ['units', 'at least']),
  max_units: field('Units to', 'figures', ['units', 'at most']),
  min_cap: field('Advertised cap rate from', 'figures', ['cap_rate', 'at least'], '%'),
  min_score: field('Score from', 'figures', ['score', 'at least'], '0 to 100'),
  min_amount: field('Amount owed from', 'figures', ['amount', 'at least'], '$'),
  min_appraised: field('Appraised value from', 'figures', ['appraised_value', 'at least'], '$'),
  min_signals: field('Kinds of distress, at least', 'figures', ['signals_count', 'at least']),
  min_properties: field('Properties owned, at least', 'figures', ['properties_count', 'at least']),
  from_date: field('First day', 'dates', ['date', 'from']),
  to_date: field('Last day', 'dates', ['date', 'to']),
  week: field('Week', 'dates'),
  listed_since: field('Listed since', 'more', ['listed_on', 'from']),
  min_cap_underwritten: field('Underwritten cap rate from', 'more', ['cap_rate_underwritten', 'at least'], '%'),
  max_cap_gap: field('Claimed minus underwritten cap rate, at most', 'more', ['cap_gap_pct', 'at most'], 'points'),
  min_dscr: field('Debt coverage from', 'more', ['dscr', 'at least'], '×'),
  underwrite_reliability: field('Does HUD’s rent fit', 'more', ['underwrite_reliability', '']),
  has_address: field('With a street address', 'more', ['has_address', '']),
  include_past: field('Include past sales', 'more'),
  limit: field('Records per page', 'more'),
  fields: field('Fields to return', 'more'),
  updated_since: field('Only changes since', 'more'),
};

/** The field of a parameter; one without a label here has its name. */
export const fieldOf = (name: string): Field => FIELDS[name] ?? { label: name.replaceAll('_', ' '), group: 'more' };

/** Fields of the score and the date by list. */
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  deals: { score: 'deal_score' },
  leads: { score: 'lead_score' },
  auctions: { date: 'sale_date' },
  filings: { date: 'filing_date' },
};

/** The field of a record that a parameter limits. @param table of the list */
export function limitedField(name: string, table: string): string | undefined {
  const [field_] = fieldOf(name).limits ?? [];
  return field_ === undefined ? undefined : (OWN[table]?.[field_] ?? field_);
}

/** Names of the feeds, by path. */
const FEEDS: Readonly<Record<string, string>> = {
  '/api/lookup': 'Lookup: the records of one address',
  '/api/lookup/batch': 'Lookup of many addresses',
  '/api/deals': 'Deals, underwritten',
  '/api/deals/basic': 'Deals as cards',
  '/api/deals/hot': 'Hot deals',
  '/api/signals': 'Distress signals',
  '/api/auctions': 'Auctions',
  '/api/leads': 'Leads',
  '/api/leads/exclusive': 'One exclusive lead',
  '/api/owners': 'Owners of several properties',
  '/api/filings/recent': 'New businesses, last seven days',
  '/api/filings': 'New businesses',
  '/api/batch/weekly.csv': 'New businesses of one week, as CSV',
};

/** A feed in words; those of one register have its name in front. */
export function feedName(path: string): string {
  const [, register = '', rest = ''] = /^\/(ohio|colorado)(\/.*)$/u.exec(path) ?? [];
  if (register === '') return FEEDS[path] ?? path;
  return `${register === 'ohio' ? 'Ohio' : 'Colorado'}: ${(FEEDS[rest] ?? rest).replace(/^N/u, 'n')}`;
}

/** Choices whose value needs more words. */
const CHOICES: Readonly<Record<string, string>> = {
  Hot: 'Hot: meets the lending thresholds',
  Warm: 'Warm: near the thresholds',
  Pass: 'Pass: below the thresholds',
  true: 'yes',
  false: 'no',
  ok: 'it fits',
  proxy_out_of_range: 'it does not fit',
  vacant_lot: 'vacant lot',
  one_family: 'one home',
  two_to_four: '2 to 4 units',
  five_up: '5 units or more',
};

/** A choice in words; a state has its code after its name. */
export function choiceText(value: string): string {
  const state = stateName(value);
  return state === undefined ? (CHOICES[value] ?? value.replaceAll('_', ' ')) : `${state} (${value})`;
}
