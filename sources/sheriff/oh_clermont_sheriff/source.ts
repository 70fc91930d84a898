import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Clermont', fips: '39025', host: 'clermont.sheriffsaleauction.ohio.gov' });
