import { causesOf, defineRecord } from '../../lib/record.ts';
import { comesAndGoes, defineMart } from '../contract.ts';
import { distress, listing, place, roll, summary } from '../deal/property.ts';
import { debt, income, scores, underwriting } from '../deal/underwriting.ts';
import { pointInRange } from '../fields.ts';

const fields = {
  ...summary,
  ...listing,
  ...underwriting,
  ...income,
  ...debt,
  ...scores,
  ...roll,
  ...distress,
  ...place,
};

export const Deal = defineRecord(
  'deal',
  'One row per property that is or was listed for sale, ranked by deal_score.',
  ['id'],
  fields,
  causesOf(fields),
);

export default defineMart({
  record: Deal,
  audits: [pointInRange('deals'), ...comesAndGoes('deals', "listing_status = 'active'", 'properties for sale', true)],
  publish: { orderBy: ['deal_score DESC', 'id'] },
});
