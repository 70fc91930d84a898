import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({
  county: 'Pinellas',
  fips: '12103',
  host: 'pinellas.realforeclose.com',
  state: 'FL',
  site: 'foreclosure',
});
