/** Shared by the layers of code cases. */

/** Types of cases under other rules than those for buildings, housing and nuisances. */
const OTHER_CODES = /\b(?:noise|zoning|vehicles?|parking|graphics|signs?|right[ -]of[ -]way|permits?)\b/iu;

/** Why a case of this type is no code violation of a building, or null. @param field name of the type's field */
export const otherCode = (field: string, type: unknown): string | null =>
  OTHER_CODES.test(String(type ?? '')) ? `${field} is ${JSON.stringify(type)}, a case under another code` : null;
