import { date, defineRecord, flag, integer, money, oneOf, percent, text } from '../../lib/record.ts';

const NO_ESTIMATE = 'the census gives no estimate (-666666666 or none)';

/** Medians of one area from the American Community Survey's 5-year estimates. Top-coded figures are as published. */
export const AreaCensus = defineRecord(
  'area_census',
  'One row per metropolitan area or county and vintage.',
  ['geography', 'area_code', 'vintage'],
  {
    geography: oneOf(['metro', 'county'], 'Kind of area.'),
    area_code: text('Five digits: the code of the metropolitan area (CBSA), or the FIPS code of the county.'),
    area_name: text('Name of the area as the census gives it.'),
    vintage: integer('Last of the five years of the estimates.', { unit: 'year' }),
    median_gross_rent: money('Median gross rent (B25064), per month: contract rent plus utilities.', {
      absent: NO_ESTIMATE,
    }),
    median_contract_rent: money('Median contract rent (B25058), per month.', { absent: NO_ESTIMATE }),
    gross_rent_0: money('Median gross rent of units without a bedroom (B25031_002), per month.', {
      absent: NO_ESTIMATE,
    }),
    gross_rent_1: money('Median gross rent of units with 1 bedroom (B25031_003), per month.', { absent: NO_ESTIMATE }),
    gross_rent_2: money('Median gross rent of units with 2 bedrooms (B25031_004), per month.', { absent: NO_ESTIMATE }),
    gross_rent_3: money('Median gross rent of units with 3 bedrooms (B25031_005), per month.', { absent: NO_ESTIMATE }),
    gross_rent_4: money('Median gross rent of units with 4 bedrooms (B25031_006), per month.', { absent: NO_ESTIMATE }),
    median_tax: money('Median real estate taxes of owner-occupied homes (B25103), per year.', { absent: NO_ESTIMATE }),
    median_value: money('Median value of owner-occupied homes (B25077).', { absent: NO_ESTIMATE }),
  },
);

/** Rental vacancy of one metropolitan area in one quarter, from the Housing Vacancy Survey. */
export const AreaVacancy = defineRecord(
  'area_vacancy',
  'One row per metropolitan area and quarter.',
  ['area_name', 'year', 'quarter'],
  {
    area_name: text('Metropolitan area as the workbook names it, without dot leaders and footnote numbers.'),
    year: integer('Year of the quarter.', { unit: 'year' }),
    quarter: integer('Quarter of the year, 1 to 4.'),
    ends_on: date('Last day of the quarter.'),
    vacancy_pct: percent('Share of rental units that are vacant and for rent.'),
    margin_pct: percent('Margin of error of vacancy_pct at 90 percent confidence, plus or minus.', {
      absent: 'the workbook gives no margin',
    }),
    is_made_up: flag('Whether the workbook says that its figures are made up, as that of the sandbox does.'),
  },
);

/** An interest rate of one day, as its publisher's series gives it. */
export const SurveyRate = defineRecord('survey_rate', 'One row per series and day.', ['series', 'observed_on'], {
  series: oneOf(
    ['MORTGAGE30US'],
    'Series by its code in FRED: the weekly average rate of 30-year fixed mortgages in the survey of Freddie Mac.',
  ),
  observed_on: date('Last day of the survey week.'),
  rate_pct: percent('The rate, per year.', { absent: 'the series has no figure for the day, such as a holiday' }),
  is_made_up: flag('Whether the page says that its rates are made up, as the pages of the sandbox do.'),
});
