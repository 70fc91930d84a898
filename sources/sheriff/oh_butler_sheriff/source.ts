import { realAuction } from '../../families/realauction.ts';

export default realAuction({ county: 'Butler', fips: '39017', host: 'butler.sheriffsaleauction.ohio.gov' });
