/** The states of the United States and the District of Columbia. */

/** The states of the United States and the District of Columbia. */
const STATES =
  'AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut, DE Delaware, ' +
  'DC District of Columbia, FL Florida, GA Georgia, HI Hawaii, ID Idaho, IL Illinois, IN Indiana, IA Iowa, ' +
  'KS Kansas, KY Kentucky, LA Louisiana, ME Maine, MD Maryland, MA Massachusetts, MI Michigan, MN Minnesota, ' +
  'MS Mississippi, MO Missouri, MT Montana, NE Nebraska, NV Nevada, NH New Hampshire, NJ New Jersey, NM New Mexico, ' +
  'NY New York, NC North Carolina, ND North Dakota, OH Ohio, OK Oklahoma, OR Oregon, PA Pennsylvania, ' +
  'RI Rhode Island, SC South Carolina, SD South Dakota, TN Tennessee, TX Texas, UT Utah, VT Vermont, VA Virginia, ' +
  'WA Washington, WV West Virginia, WI Wisconsin, WY Wyoming';
const NAMES = new Map(STATES.split(', ').map((state) => [state.slice(0, 2), state.slice(3)]));

export const stateName = (code: string): string | undefined => NAMES.get(code);

export const STATE_CODES: readonly string[] = [...NAMES.keys()];

/** The code of each state by its name in upper case. */
export const STATE_BY_NAME: ReadonlyMap<string, string> = new Map(
  [...NAMES].map(([code, name]) => [name.toUpperCase(), code]),
);
