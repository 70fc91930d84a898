/**
 * Accepted figures of staged rows, least and greatest. A row with a figure outside is a reject with reason
 * `invalid_field`: one misprint on one page costs one row, never the run.
 *
 * Money, percents and ratios have columns of DECIMAL(14,2), below a trillion. Every ratio of the models fits:
 *   NOI over the asking price           2.4 billion over 2,000.00: 120 million percent
 *   NOI over the loan                   2.4 billion over 0.75 of 2,000.00: 160 million percent
 *   cash flow over the cash needed      2.4 billion over 0.28 of 2,000.00: 429 million percent
 *   discount to the appraisal           10 billion less 1.01 over 1.00: a trillion less 101 percent
 *   debt over the county's value        a billion over 1.00: 100 billion percent, as models read less as no value
 *   expenses over income                a tax below 6.1 billion (101 % of a billion, for rentals twice, a bill up to
 *                                       three times) over 12 x 50.00 x 0.70 x 0.80 x 0.85 = 285.60: 2.2 billion percent
 * Rent of a year is below 9,998 x 12 x 20,000.00 = 2.4 billion, and so is NOI. Factors are the declared assumptions and
 * the bounds of the census's tables (sources/benchmarks/census_acs). Ten debts of a billion at one address with the
 * least price fit too, and a thousand of one owner. test/models/history/random_history.proof.ts builds the extremes.
 */
import type { Range } from '../lib/range.ts';

// Amounts. An NOI may be a loss, and a debt a credit.
export const UP_TO_A_BILLION: Range = ['-999999999.99', '999999999.99'];
export const UP_TO_TEN_BILLION: Range = ['-9999999999.99', '9999999999.99'];
/** With a tax below zero, expenses would be negative, which stops the whole publication. */
export const TAX_OF_LISTING: Range = ['0.00', '999999999.99'];
export const FROM_ZERO: Range = ['0.00', '9999999999.99'];
export const ABOVE_ZERO: Range = ['0.01', '9999999999.99'];
/** No building is for sale for less: it is a placeholder, or in thousands under a heading that hides it. */
export const LIST_PRICE: Range = ['2000.00', '999999999.99'];
export const APPRAISAL: Range = ['1.00', '9999999999.99'];
/** HUD's highest rents are about half of the greatest. */
export const MONTHLY_RENT: Range = ['50.00', '19999.99'];

// Shares and counts
export const PERCENT: Range = ['-100.00', '100.00'];
/** 9999 stands for an unknown number. */
export const LISTED_UNITS: Range = [1, 9_998];
export const UNITS_OF_MIX: Range = [0, 99_999];
export const SALE_ROUND: Range = [1, 2];
export const YEARS_OF_DEBT: Range = [0, 199];
/** Years of four digits, as sources/values.ts reads them. Models tell a year to come from a past one. */
export const YEAR: Range = [1_600, 2_199];

// Rough bounds of the United States, in degrees. A point outside them is a blank or a slip.
export const LATITUDE: Range = ['17.00000', '72.00000'];
export const LONGITUDE: Range = ['-180.00000', '-60.00000'];
