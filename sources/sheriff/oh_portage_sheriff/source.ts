import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Portage', fips: '39133', host: 'portage.sheriffsaleauction.ohio.gov' });
