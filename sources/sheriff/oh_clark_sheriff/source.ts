import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Clark', fips: '39023', host: 'clark.sheriffsaleauction.ohio.gov' });
