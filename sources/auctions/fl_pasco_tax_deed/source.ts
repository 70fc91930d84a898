import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({
  county: 'Pasco',
  fips: '12101',
  host: 'pasco.realtaxdeed.com',
  state: 'FL',
  site: 'tax_deed',
});
