import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Lake', fips: '39085', host: 'lake.sheriffsaleauction.ohio.gov' });
