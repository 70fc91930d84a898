import { defineRecord } from '../../lib/record.ts';
import { FmrArea } from '../../sources/rows/fmr_area.ts';
import { defineModel } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Provenance } from '../inputs.ts';

export default defineModel({
  record: defineRecord(
    'stg_rent',
    "One row per county or New England town and fiscal year of HUD's rents.",
    ['source', 'fips', 'fiscal_year', 'revision'],
    {
      ...fieldsOf(FmrArea, ['fips', 'county_fips', 'state', 'county_name', 'hud_area_code', 'hud_area_name', 'fmr_0']),
      ...fieldsOf(FmrArea, ['fmr_1', 'fmr_2', 'fmr_3', 'fmr_4', 'population', 'fiscal_year', 'effective_on']),
      ...fieldsOf(FmrArea, ['revision']),
      ...fieldsOf(Provenance, ['source', 'source_url', 'observed_at', 'page_sha256']),
    },
  ),
});
