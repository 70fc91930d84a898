import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Cuyahoga', fips: '39035', host: 'cuyahoga.sheriffsaleauction.ohio.gov' });
