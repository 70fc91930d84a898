import { lienHub } from '../families/lienhub.ts';

export default lienHub({ name: 'Duval', fips: '12031' });
