import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Mahoning', fips: '39099', host: 'mahoning.sheriffsaleauction.ohio.gov' });
