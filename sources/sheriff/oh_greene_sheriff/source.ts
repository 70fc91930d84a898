import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Greene', fips: '39057', host: 'greene.sheriffsaleauction.ohio.gov' });
