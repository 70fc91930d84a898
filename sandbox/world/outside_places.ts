/** Counties without listings whose distress records the world has: Tampa's Pasco, and two outside the 20 metros. */
import type { Place } from './places.ts';

const ALLEGHENY = { metro: 'Pittsburgh', state: 'PA', countyFips: '42003' };

const PASCO = { metro: 'Tampa', state: 'FL', countyFips: '12101' };

export const outsidePlaces: readonly Place[] = [
  { ...PASCO, city: 'New Port Richey', zips: ['34652', '34653', '34655'], weight: 3 },
  { ...PASCO, city: 'Holiday', zips: ['34690', '34691'], weight: 2 },
  {
    ...ALLEGHENY,
    city: 'Pittsburgh',
    zips: ['15203', '15204', '15206', '15207', '15208', '15210', '15211', '15212', '15214', '15219', '15221', '15224'],
    weight: 8,
  },
  { ...ALLEGHENY, city: 'McKeesport', zips: ['15132'], weight: 1 },
  { ...ALLEGHENY, city: 'Wilkinsburg', zips: ['15221'], weight: 1 },
  {
    metro: 'Chicago',
    city: 'Chicago',
    state: 'IL',
    countyFips: '17031',
    zips: ['60609', '60617', '60619', '60620', '60621', '60624', '60628', '60629', '60636', '60644', '60649', '60651'],
    weight: 10,
  },
];
