/** Names of organizations in one form, for exact comparison. */

/** One spelling of each legal form. */
const LEGAL_FORMS = [
  [/\bLIMITED LIABILITY (?:COMPANY|CO)\b|\bL L C\b/g, 'LLC'],
  [/\bLIMITED LIABILITY PARTNERSHIP\b/g, 'LLP'],
  [/\bLIMITED PARTNERSHIP\b/g, 'LP'],
  [/\bINCORPORATED\b/g, 'INC'],
  [/\bCORPORATION\b/g, 'CORP'],
  [/ LIMITED$/g, ' LTD'],
  [/\b(?:ASSN|ASSOC)\b/g, 'ASSOCIATION'],
] as const;

/**
 * Upper case, no accents, points or apostrophes, AND for &, one space between words, and one spelling of each legal
 * form. Lists join owners with & or ; or, after a word of two letters or more, with a slash: not C/O.
 */
export const organizationKey = (name: string): string =>
  LEGAL_FORMS.reduce(
    (key, [spelling, form]) => key.replaceAll(spelling, form),
    name
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toUpperCase()
      .replaceAll(/[.'’`"]/g, '')
      .replaceAll(/[&;]|(?<=[A-Z]{2}) ?[/|+] ?(?=[A-Z]{2})/g, ' AND ')
      .replaceAll(/[^A-Z0-9]+/g, ' ')
      .trim(),
  );
