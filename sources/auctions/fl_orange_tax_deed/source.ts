import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({
  county: 'Orange',
  fips: '12095',
  host: 'orange.realtaxdeed.com',
  state: 'FL',
  site: 'tax_deed',
});
