import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({
  county: 'Hillsborough',
  fips: '12057',
  host: 'hillsborough.realtaxdeed.com',
  state: 'FL',
  site: 'tax_deed',
});
