/**
 * The states, territories and military mail: their names, and the first three digits of their ZIPs (USPS, publication
 * L002).
 */

const TABLE = `
AL Alabama 350-369
AK Alaska 995-999
AZ Arizona 850-865
AR Arkansas 716-729
CA California 900-961
CO Colorado 800-816
CT Connecticut 060-069
DE Delaware 197-199
DC District of Columbia 200-205 569
FL Florida 320-349
GA Georgia 300-319 398-399
HI Hawaii 967-968
ID Idaho 832-838
IL Illinois 600-629
IN Indiana 460-479
IA Iowa 500-528
KS Kansas 660-679
KY Kentucky 400-427
LA Louisiana 700-714
ME Maine 039-049
MD Maryland 206-219
MA Massachusetts 010-027 055
MI Michigan 480-499
MN Minnesota 550-567
MS Mississippi 386-397
MO Missouri 630-658
MT Montana 590-599
NE Nebraska 680-693
NV Nevada 889-898
NH New Hampshire 030-038
NJ New Jersey 070-089
NM New Mexico 870-884
NY New York 005 063 100-149
NC North Carolina 270-289
ND North Dakota 580-588
OH Ohio 430-459
OK Oklahoma 730-732 734-749
OR Oregon 970-979
PA Pennsylvania 150-196
RI Rhode Island 028-029
SC South Carolina 290-299
SD South Dakota 570-577
TN Tennessee 370-385 422
TX Texas 733 750-799 885
UT Utah 840-847
VT Vermont 050-059
VA Virginia 201 220-246
WA Washington 980-994
WV West Virginia 247-268
WI Wisconsin 530-549
WY Wyoming 820-831 834
PR Puerto Rico 006-007 009
VI Virgin Islands 008
GU Guam 969
AS American Samoa 967
MP Northern Mariana Islands 969
AA Armed Forces Americas 340
AE Armed Forces Europe 090-098
AP Armed Forces Pacific 962-966`;

interface State {
  readonly code: string;
  readonly name: string;
  readonly prefixes: readonly (readonly [first: string, last: string])[];
}

const STATES: readonly State[] = [...TABLE.matchAll(/^([A-Z]{2}) ([A-Za-z ]+?) ([\d -]+)$/gmu)].map(
  ([, code = '', name = '', ranges = '']) => ({
    code,
    name,
    prefixes: ranges.split(' ').map((range) => [range.slice(0, 3), range.slice(-3)] as const),
  }),
);

/** Codes of the states, of territories and of military mail. */
export const STATE_CODES: ReadonlySet<string> = new Set(STATES.map(({ code }) => code));

const BY_NAME = new Map(STATES.map(({ code, name }) => [name.toUpperCase(), code]));

/** Territories, and military mail. */
const NO_STATES = new Set(['PR', 'VI', 'GU', 'AS', 'MP', 'AA', 'AE', 'AP']);

/** Codes of the states and the District of Columbia by their names in upper case. */
export const STATE_BY_NAME: ReadonlyMap<string, string> = new Map(
  [...BY_NAME].filter(([, code]) => !NO_STATES.has(code)),
);

/** Code of a state by its code or name: "oh", "Ohio", "O.H."; null if there is none. */
export function stateCode(text: string): string | null {
  const word = text.trim().toUpperCase().replaceAll('.', '');
  return STATE_CODES.has(word) ? word : (BY_NAME.get(word) ?? null);
}

/** Name of a state. */
export const stateName = (code: string): string => STATES.find((state) => state.code === code)?.name ?? code;

/** Whether a ZIP may be in this state. A ZIP with a prefix of no state may be in any. */
export function isZipOfState(zip: string, code: string): boolean {
  const prefix = zip.slice(0, 3);
  const of = STATES.filter(({ prefixes }) => prefixes.some(([first, last]) => first <= prefix && prefix <= last));
  return of.length === 0 || of.some((state) => state.code === code);
}
