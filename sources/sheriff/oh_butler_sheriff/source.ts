import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Butler', fips: '39017', host: 'butler.sheriffsaleauction.ohio.gov' });
