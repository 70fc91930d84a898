import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Allen', fips: '39003', host: 'allen.sheriffsaleauction.ohio.gov' });
