import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Jackson', fips: '39079', host: 'jackson.sheriffsaleauction.ohio.gov' });
