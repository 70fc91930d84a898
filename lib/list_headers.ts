/** Headers of a list as CSV, one for each field of the JSON envelope. */

/** The header of each field of the envelope. */
export const LIST_HEADERS = {
  count: 'Count',
  total_matches: 'Total-Matches',
  limit: 'Limit',
  max_limit: 'Max-Limit',
  price_note: 'Price-Note',
  next_cursor: 'Next-Cursor',
  generated_at: 'Generated-At',
  as_of: 'As-Of',
  changes_through: 'Changes-Through',
  complete_since: 'Complete-Since',
  stale_sources: 'Stale-Sources',
  note: 'Note',
} as const;

/** Headers of the weekly file, one for each fact that its 402 states. */
export const WEEK_HEADERS = {
  week: 'Week',
  from: 'Week-From',
  to: 'Week-To',
  rows: 'Rows-By-State',
  newest_filing_date: 'Newest-Filing-Date',
} as const;

/** All headers of a list as CSV. They are stored with the body and sent again with it. */
export const LIST_HEADER_NAMES: readonly string[] = [...Object.values(LIST_HEADERS), 'Link'];
