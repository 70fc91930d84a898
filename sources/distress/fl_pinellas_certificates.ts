import { lienHub } from '../families/lienhub.ts';

export default lienHub({ name: 'Pinellas', fips: '12103' });
