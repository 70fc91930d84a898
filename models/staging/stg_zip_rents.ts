import { defineRecord } from '../../lib/record.ts';
import { FmrZip } from '../../sources/rows/fmr_zip.ts';
import { defineModel } from '../contract.ts';
import { fieldsOf } from '../fields.ts';
import { Provenance } from '../inputs.ts';

export default defineModel({
  record: defineRecord(
    'stg_zip_rent',
    "One row per ZIP, HUD area, fiscal year, release and basis of HUD's small-area rents.",
    ['source', 'zip', 'hud_area_code', 'fiscal_year', 'revision', 'basis'],
    {
      ...fieldsOf(FmrZip, ['zip', 'hud_area_code', 'hud_area_name', 'rent_0', 'rent_1', 'rent_2', 'rent_3', 'rent_4']),
      ...fieldsOf(FmrZip, ['fiscal_year', 'effective_on', 'revision', 'basis']),
      ...fieldsOf(Provenance, ['source', 'source_url', 'observed_at', 'page_sha256']),
    },
  ),
});
