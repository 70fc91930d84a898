import { date, defineRecord, flag, integer, percent, text } from '../../lib/record.ts';

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
