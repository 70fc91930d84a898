import { date, defineRecord, money, ratio, text } from '../../lib/record.ts';

/**
 * Insurance by state against the nation. No official figure of apartment buildings is published by state: the square
 * root of the ratio of homeowners' premiums stands for it, as apartments differ less than homes do.
 */
export default defineRecord('insurance_state', 'One row per state.', ['state'], {
  state: text('State, by its two letters.'),
  premium: money('Average yearly premium of a homeowner (HO-3).'),
  factor: ratio('Square root of premium over that of the United States.', { decimals: 4 }),
  source: text('Source of the figures.'),
  as_of: date('Last day that the figures describe.'),
});
