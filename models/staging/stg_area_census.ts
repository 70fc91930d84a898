import { defineRecord } from '../../lib/record.ts';
import { AreaCensus } from '../../sources/rows/area_census.ts';
import { defineModel, never, warnIf } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Provenance } from '../inputs.ts';

const MODEL = 'stg_area_census';

export default defineModel({
  record: defineRecord(
    MODEL,
    "One row per metropolitan area or county and vintage of the census's medians.",
    ['source', 'geography', 'area_code', 'vintage'],
    {
      ...fieldsOf(AreaCensus, ['geography', 'area_code', 'area_name', 'vintage', 'median_gross_rent']),
      ...fieldsOf(AreaCensus, ['median_contract_rent', 'gross_rent_0', 'gross_rent_1', 'gross_rent_2', 'gross_rent_3']),
      ...fieldsOf(AreaCensus, ['gross_rent_4', 'median_tax', 'median_value']),
      ...fieldsOf(Provenance, ['source', 'source_url', 'observed_at', 'page_sha256']),
    },
  ),
  audits: [
    never(MODEL, 'medians_positive', 'a median is above zero', 'least(median_gross_rent, median_value) <= 0'),
    warnIf(
      MODEL,
      'contract_within_gross',
      'a median contract rent is at most the gross rent, which adds utilities',
      'median_contract_rent > median_gross_rent',
    ),
  ],
});
