import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({
  county: 'Pasco',
  fips: '12101',
  host: 'pasco.realforeclose.com',
  state: 'FL',
  site: 'foreclosure',
});
