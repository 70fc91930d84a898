import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Stark', fips: '39151', host: 'stark.sheriffsaleauction.ohio.gov' });
