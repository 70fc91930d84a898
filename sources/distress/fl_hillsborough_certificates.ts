import { lienHub } from '../families/lienhub.ts';

export default lienHub({ name: 'Hillsborough', fips: '12057' });
