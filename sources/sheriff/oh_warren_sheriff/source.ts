import { realAuction } from '../../families/realauction.ts';

export default realAuction({ county: 'Warren', fips: '39165', host: 'warren.sheriffsaleauction.ohio.gov' });
