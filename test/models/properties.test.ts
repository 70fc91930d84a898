/**
 * Checks the properties that docs/underwriting.md lists, on random deals and leads, with the models' SQL. A property
 * with too few cases fails. `make prove` checks 300 deals (thorough.ts). With DEALS=10000 it checks more and prints how
 * many cases each has.
 */
import { after } from 'node:test';
import './properties/deal_properties.ts';
import './properties/lead_properties.ts';
import { assertAllChecked, formatChecked } from './properties/checked.ts';
import { print } from '../../lib/output.ts';

after(() => {
  assertAllChecked();
  if (process.env['DEALS'] !== undefined) for (const line of formatChecked()) print(line);
});
