import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({
  county: 'Orange',
  fips: '12095',
  host: 'myorangeclerk.realforeclose.com',
  state: 'FL',
  site: 'foreclosure',
});
