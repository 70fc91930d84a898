/** Why a field of a filing is null. */
import type { Cause } from '../../lib/record.ts';

const NOT_IN_OHIO = { if: "source = 'ohio_sos'", code: 'not_published_by_register' };
const NOT_IN_COLORADO = { if: "source = 'colorado_sos'", code: 'not_published_by_register' };
const BLANK: readonly Cause[] = ['blank_in_filing'];
const NO_AMENDMENT: readonly Cause[] = [NOT_IN_COLORADO, 'no_amendment_read'];
const NO_AGENT: readonly Cause[] = [{ of: 'registered_agent_status' }];

export const filingCauses = {
  charter_number: [NOT_IN_COLORADO, ...BLANK],
  entity_type_raw: BLANK,
  entity_status: [NOT_IN_OHIO, ...BLANK],
  registered_agent_name: NO_AGENT,
  agent_addr1: BLANK,
  agent_city: BLANK,
  agent_state: BLANK,
  agent_zip: BLANK,
  business_city: BLANK,
  business_state: [NOT_IN_OHIO, ...BLANK],
  business_zip: [NOT_IN_OHIO, ...BLANK],
  naics: [{ of: 'naics_status' }],
  entity_status_raw: [NOT_IN_OHIO, ...BLANK],
  jurisdiction: [NOT_IN_OHIO, ...BLANK],
  agent_addr2: BLANK,
  business_county: [NOT_IN_COLORADO, ...BLANK],
  agent_filings: NO_AGENT,
  amendment_kind: NO_AMENDMENT,
  amendment_date: NO_AMENDMENT,
  amendment_document: NO_AMENDMENT,
  amendment_url: NO_AMENDMENT,
} as const;
