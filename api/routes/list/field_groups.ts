/** Named groups of fields for the parameter `fields`, and the groups that a list returns by default. */
import { distress, listing, place, roll, summary } from '../../../models/deal/property.ts';
import { debt, income, scores, underwriting } from '../../../models/deal/underwriting.ts';
import type { TableName } from '../../../models/serving/tables.ts';

export interface FieldGroups {
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** Groups of an answer without `fields`; all fields if it is left out. */
  readonly byDefault?: readonly string[];
}

/** Names in one text. */
const names = (text: string): readonly string[] => text.split(' ');

const DEAL_EVIDENCE = names('provenance assumption_set_id source source_url observed_at page_sha256 page_row');
const isEvidence = (name: string): boolean => DEAL_EVIDENCE.includes(name);
const subtract = (fields: Readonly<Record<string, unknown>>, isLeftOut: (name: string) => boolean): readonly string[] =>
  Object.keys(fields).filter((name) => !isLeftOut(name));

/** The path of a deal and why it has its status. */
const isPath = (name: string): boolean => /_rationale$|^(rental|wholesale|creative_finance)_status$/.test(name);

/** Why a field of the summary is null, whether the underwriting agrees with the claim, and the building's condition. */
const SUMMARY_REASONS = names(
  'address_status listing_status cap_rate_source cap_rate_derived cap_gap_basis underwriting_agreement ' +
    'underwriting_note underwrite_reason report_status dscr_reason condition_risk condition_record_on ' +
    'condition_record_url',
);

const ADDRESS = names('address city state zip address_status address_key street_key house_low house_high unit_key');
const EVIDENCE = names('source source_url page_sha256 page_row first_seen last_seen');

/** The fields that a card of a deal shows. */
export const DEAL_CARD =
  'id address city state zip list_price units cap_rate condition_risk source listing_url last_verified days_on_feed';

/** The groups of the tables that are sold as lists. A group may name a field that only some tables have. */
export const FIELD_GROUPS = {
  deals: {
    groups: {
      card: names(DEAL_CARD),
      summary: [...Object.keys(summary), ...SUMMARY_REASONS],
      listing: subtract(listing, isEvidence),
      underwriting: [...Object.keys(underwriting), ...Object.keys(income), ...Object.keys(debt)],
      scores: subtract(scores, isPath),
      paths: [...Object.keys(summary), ...Object.keys(scores)].filter(isPath),
      distress: subtract(distress, isEvidence),
      roll: Object.keys(roll),
      place: Object.keys(place),
      evidence: DEAL_EVIDENCE,
    },
    byDefault: ['summary', 'paths', 'distress'],
  },
  signals: {
    groups: {
      card: names(
        'id signal_type county address city zip has_address address_status owner_name parcel_id amount ' +
          'property_kind signal_state last_seen source_url',
      ),
      address: ADDRESS,
      evidence: EVIDENCE,
    },
  },
  auctions: {
    groups: {
      card: names(
        'id auction_type county sale_date sale_status property_address city zip case_number appraised_value ' +
          'opening_bid opening_bid_basis last_seen source_url',
      ),
      address: ['property_address', ...ADDRESS],
      evidence: EVIDENCE,
    },
  },
  leads: {
    groups: {
      card: names(
        'id lead_type lead_score signals_count county address city zip amount sale_date appraised_value ' +
          'opening_bid property_kind freshness last_verified source_url',
      ),
      address: ADDRESS,
      evidence: [...EVIDENCE, 'signal_id', 'auction_id', 'corroboration', 'signal_kinds'],
    },
  },
  owners: {
    groups: {
      card: names(
        'id owner_name owner_kind county state properties_count distressed_count listed_count total_amount ' +
          'register_match_basis last_verified',
      ),
      register: names('owner_key register_match_basis register_filings'),
    },
  },
  filings: {
    groups: {
      card: names(
        'id source_state document_number business_name filing_date entity_type entity_status ' +
          'registered_agent_name business_city business_state source_url',
      ),
      agent: names(
        'registered_agent_name registered_agent_status agent_addr1 agent_addr2 agent_city agent_state ' +
          'agent_zip agent_filings',
      ),
      evidence: EVIDENCE,
    },
  },
} as const satisfies Partial<Record<TableName, FieldGroups>>;

/** The group of an answer that has every field. */
export const ALL = 'all';

/** Columns in record order, by the name of a field or a group. */
export type FieldChoices = ReadonlyMap<string, readonly string[]>;

/** The groups among the choices. */
export const groupNames = (choices: FieldChoices): string[] =>
  [...choices].flatMap(([name, [column]]) => (name === column ? [] : [name]));

/**
 * Names that `fields` accepts for records with these columns, each with its columns in record order. A group whose
 * columns the record does not have is left out.
 */
export function fieldChoices(columns: readonly string[], groups: FieldGroups['groups']): FieldChoices {
  const choices = new Map<string, readonly string[]>([[ALL, columns]]);
  for (const [name, members] of Object.entries(groups)) {
    const own = columns.filter((column) => members.includes(column));
    if (own.length > 0 && own.length < columns.length) choices.set(name, own);
  }
  for (const column of columns) choices.set(column, [column]);
  return choices;
}
