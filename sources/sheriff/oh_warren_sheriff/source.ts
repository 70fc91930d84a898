import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Warren', fips: '39165', host: 'warren.sheriffsaleauction.ohio.gov' });
