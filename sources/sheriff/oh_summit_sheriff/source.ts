import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Summit', fips: '39153', host: 'summit.sheriffsaleauction.ohio.gov' });
