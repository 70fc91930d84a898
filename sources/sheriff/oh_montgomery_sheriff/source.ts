import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Montgomery', fips: '39113', host: 'montgomery.sheriffsaleauction.ohio.gov' });
