import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Lawrence', fips: '39087', host: 'lawrence.sheriffsaleauction.ohio.gov' });
