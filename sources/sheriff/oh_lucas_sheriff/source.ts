import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Lucas', fips: '39095', host: 'lucas.sheriffsaleauction.ohio.gov' });
