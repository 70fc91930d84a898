/** Why a field of a filing is null. */
import { because, cause, type Cause } from '../../lib/record.ts';

const notPublished = (register: string, state: string): Cause =>
  cause('not_published_by_register', `the register of ${state} does not publish it`, `source = '${register}'`);
const IN_OHIO = notPublished('ohio_sos', 'Ohio');
const IN_COLORADO = notPublished('colorado_sos', 'Colorado');
const IS_BLANK = cause('blank_in_filing', 'the filing leaves it blank');

export const BLANK = because(IS_BLANK);
export const BLANK_OR_OHIO = because(IN_OHIO, IS_BLANK);
export const BLANK_OR_COLORADO = because(IN_COLORADO, IS_BLANK);
export const NO_AGENT = because({ of: 'registered_agent_status', if: "registered_agent_status <> 'available'" });
export const NO_NAICS = because({ of: 'naics_status', if: "naics_status <> 'available'" });
export const NO_AMENDMENT = because(
  IN_COLORADO,
  cause('no_amendment_read', 'no amendment of its charter number was read'),
);
