import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({
  county: 'Duval',
  fips: '12031',
  host: 'duval.realtaxdeed.com',
  state: 'FL',
  site: 'tax_deed',
});
