import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({
  county: 'Hillsborough',
  fips: '12057',
  host: 'hillsborough.realforeclose.com',
  state: 'FL',
  site: 'foreclosure',
});
