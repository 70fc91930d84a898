/** Counties of the world, and parcel numbers in the form in which they are published. */

export const FRANKLIN = '39049';
export const CUYAHOGA = '39035';
export const HAMILTON = '39061';
export const MONTGOMERY = '39113';
export const STARK = '39151';
export const SUMMIT = '39153';

/** Comparable form of a parcel number within its county. Franklin's trailing 00 is a card number. */
export const parcelKey = (countyFips: string, printed: string): string => {
  const key = printed.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return countyFips === FRANKLIN && key.length === 11 && key.endsWith('00') ? key.slice(0, 9) : key;
};
