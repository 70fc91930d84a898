import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Franklin', fips: '39049', host: 'franklin.sheriffsaleauction.ohio.gov' });
