import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Miami', fips: '39109', host: 'miami.sheriffsaleauction.ohio.gov' });
