import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: 'Butler', fips: '42019', host: 'butler.pa.realforeclose.com', state: 'PA' });
