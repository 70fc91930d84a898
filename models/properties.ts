/**
 * The fifteen properties that hold of every underwriting, score and lead, whatever the deal. Tests hold them on
 * thousands of random deals through the models' own SQL (`make properties`); docs/underwriting.md lists them.
 */
export const PROPERTIES = [
  'Scores lie in 0..100, confidence in 0..1, and each is the sum of its parts.',
  'cap_gap_pct is cap_rate less cap_rate_underwritten, and dscr is noi over annual_debt_service, of the figures shown.',
  'dscr is null exactly when dscr_status is not computed, and dscr_reason says why.',
  "A higher price never lifts the underwritten cap rate, the score or a status while HUD's rent fits; one out of range stays so.",
  'A higher rent never lowers the underwriting.',
  'A claim above the underwriting changes neither score nor status nor offer.',
  'Up to the underwriting, a higher claim never lowers the score.',
  "Where HUD's rent does not fit there are no yield or coverage points, and every path is Pass.",
  'A deeper price cut, more days, more tax debt or a sooner sale never lowers the score.',
  'Price, rent and NOI times one factor leave cap rates, gap and reliability as they were.',
  'Offers rise from low to high to the asking price, and a higher target cap rate never raises one.',
  'The same rows give the same figures, whatever their order, that of their fields, and the time zone.',
  'A derived opening bid is the least that is not below two thirds of the appraisal: a cent less would be.',
  "A later sale or an older verification never raises a lead's score; a lower bid, more years or more owed never lowers it.",
  'No figure is a binary float: money, percents and ratios have exactly two decimals.',
] as const;
