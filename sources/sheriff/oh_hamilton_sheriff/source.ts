import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Hamilton', fips: '39061', host: 'hamilton.sheriffsaleauction.ohio.gov' });
