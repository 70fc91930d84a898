import { lienHub } from '../families/lienhub.ts';

export default lienHub({ name: 'Pasco', fips: '12101' });
