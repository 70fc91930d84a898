/** Absence rules that several fields of a deal share. */
export const NO_PRICE = 'the site publishes no price; dscr_reason says so';
export const NO_INCOME = 'units or market_rent_2br is null';
export const NO_UNDERWRITING =
  'list_price, units or market_rent_2br is null; underwrite_reason says which, the first if several are';
export const NO_RENT = "rent_basis is unknown: the ZIP is in no known HUD area, or HUD's figures were never read";
export const NO_DSCR = 'dscr_status is not computed; dscr_reason says why';
export const NO_DSCR_UNDERWRITTEN =
  'dscr_status is not_applicable, or there is no underwriting; dscr_reason and underwrite_reason say which';
export const NO_OFFER = 'offer_status is neither computed nor claimed_basis_unverified';
export const NOT_SCORED = 'noi_scoring is null';
