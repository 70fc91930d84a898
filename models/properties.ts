/**
 * The sixteen properties of every underwriting, score and lead. Tests check them on thousands of random deals with the
 * models' own SQL (`make prove ONLY=properties`); docs/underwriting.md lists them.
 */
export const PROPERTIES = [
  'Scores are from 0 to 100, confidence from 0 to 1, and each is the sum of its parts.',
  'cap_gap_pct is the claimed cap rate less cap_rate_underwritten, and dscr is noi over annual_debt_service, as ' +
    'published.',
  'dscr is null exactly if dscr_status is not computed, and dscr_reason says why.',
  "A higher price never raises the underwritten cap rate or a status while HUD's rent fits, nor the score unless " +
    'condition_risk lowers it; a price out of range stays out of range.',
  'A higher rent never lowers the underwriting.',
  'A claim above the underwriting changes neither score nor status nor offer.',
  'Up to the underwriting, a higher claim never lowers the score.',
  "If HUD's rent does not fit there are no yield or coverage points, and every path is Pass.",
  'A deeper price cut, more days, more tax debt or a sooner sale never lowers the score.',
  'Price, rent and NOI multiplied by one factor leave the claimed cap rate, that of the simple proxy and the ' +
    'reliability unchanged.',
  'Offers rise from low to high to the asking price, and a higher target cap rate never raises one.',
  'The same rows give the same figures in any order of rows and fields, and in any time zone.',
  'A derived opening bid is the least that is not below two thirds of the appraisal: a cent less would be.',
  "An older verification never raises a lead's score, and a later sale raises it only while a letter may be late; a " +
    'lower bid of a tax sale, more years or a larger debt never lowers it.',
  'No figure is a binary float: money, percents and ratios have exactly two decimals.',
  'One dollar of price, rent, NOI or tax debt never moves the score by more than five points.',
] as const;
