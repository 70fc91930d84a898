import { defineRecord } from '../../lib/record.ts';
import { AreaVacancy } from '../../sources/rows/area_vacancy.ts';
import { defineModel, never } from '../contract.ts';
import { Provenance } from '../inputs.ts';

export default defineModel({
  record: defineRecord(
    'stg_area_vacancy',
    'One row per metropolitan area and quarter of the Housing Vacancy Survey.',
    ['area_name', 'year', 'quarter'],
    { ...AreaVacancy.schema.shape, ...Provenance.schema.shape },
  ),
  audits: [
    never(
      'stg_area_vacancies',
      'a_share',
      'vacancy and its margin are from 0 to 100 percent',
      'NOT (vacancy_pct BETWEEN 0 AND 100) OR NOT (margin_pct BETWEEN 0 AND 100)',
    ),
  ],
});
