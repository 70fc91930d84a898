import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Lorain', fips: '39093', host: 'lorain.sheriffsaleauction.ohio.gov' });
