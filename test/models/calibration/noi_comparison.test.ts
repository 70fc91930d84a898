/** The comparison with real NOI over invented worksheets: who counts, and what is divided by what. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { comparePopulation } from '../../../models/calibration/compare.ts';

const WORKSHEET = 'year,keypin,address,yearbuilt,use,studio,br1,br2,br3,br4,total_units,commsf,pgi,egi,noi,taxload,mv';

const COUNTY = 'fips,county,B25077_median_home_value,B25103_median_real_estate_taxes,B25064_median_gross_rent';

/** Invented files of the comparison. The others have only a header, or what every calibration needs. */
const FILES: Readonly<Record<string, string>> = {
  'underwriting/cook/cook_multifamily_invented.csv': `${WORKSHEET}
2024,1,1 A ST,1974,Market,0,0,8,0,0,8,0,60000,57000,30000,,500000
2026,1,1 A ST,1974,Market,0,0,8,0,0,0,0,71808,68217.6,53211.52,0.02,500000
2024,2,2 A ST,1974,Market,0,0,8,0,0,8,1200,71808,68217.6,43211.52,,500000
2024,3,3 A ST,1974,"SAP, 35% tier",0,0,8,0,0,8,0,71808,68217.6,43211.52,,500000
2024,4,4 A ST,1974,Market,0,0,8,0,0,8,0,71808,68217.6,-1,,500000
`,
  'underwriting/acs/invented_metro.json': JSON.stringify([
    [
      'NAME',
      'B25064_001E',
      'B25077_001E',
      'B25103_001E',
      'B25031_002E',
      'B25031_003E',
      'B25031_004E',
      'B25031_005E',
    ].concat('B25031_006E', 'metro'),
    ['Chicago', '900', '300000', '6000', '700', '800', '850', '900', '950', '16980'],
  ]),
  'underwriting/acs/invented_counties.csv': `${COUNTY}
17031,Cook County,300000,6000,900
`,
  'hud/FY25_FMRs_revised.csv': `stusps,countyname,hud_area_code,fips,pop2022,fmr_0,fmr_1,fmr_2,fmr_3,fmr_4
IL,Cook County,METRO16980M16980,1703199999,5000000,700,850,1000,1200,1300
`,
  'underwriting/insurance/feds_notes_invented.csv': 'year,real_monthly_cost_per_unit_median\n2011,24.88\n',
  'underwriting/insurance/invented_ho3_by_state.csv': 'state,ho3_average_premium_2022_usd\nIL,1343\n',
  'underwriting/tax/state_reassessment_rules.csv': 'state,rule,cite,mark\nIL,x,y,E\n',
  'underwriting/ex102/mf_properties_distinct.csv': 'deal\n',
  'underwriting/ex102/invented_property_rows_monthly.csv': 'propertyName\n',
  'underwriting/rhfs/invented_value_labels.csv': 'Variable,Value,Value_Label\n',
  'underwriting/rhfs/invented_properties.csv': `${[
    'CONTROLPUF,WEIGHT,NUMUNITS_R,YROLDBLG_R,OWNENT,MNGMNT,TOTCOLL,POTENTIAL,OPPAY,OPINSUR,OPUTIL,OPREP,OPMNG,OPPROTH',
    'OPSECUR,OPLAND,OPTAX_R,OPOTHEX,BED0_R,BED1_R,BED2_R,BED3_R,BED4_R,MRKTVAL_R,FMR22012,LOWINCTC,PBS8V,RSUBSIDY',
  ].join(',')}\n`,
};

test('a worksheet counts once, at market rents, without shops, with a positive NOI after tax', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'comparison-'));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  try {
    const rows = await comparePopulation('assessor', folder);
    assert.deepEqual(rows.map(({ vintage, year }) => `${String(vintage)} ${String(year)}`).sort(), [
      '1960_1999 all',
      'any 2026',
      'any all',
    ]);
    for (const row of rows)
      assert.deepEqual(
        ['size', 'n', 'rent_median', 'underwriting_median', 'expenses_median', 'proxy_median'].map((name) => row[name]),
        // Rent: 8 x 1,000 x 0.85 (census over HUD) x 0.88 x 12 = 71,808, as in the worksheet.
        // Income: 7 % vacancy leave 66,781.44. Expenses are above the third quartile, 0.5375: 35,895.02.
        // NOI: 30,886.42 over 53,211.52 less a tax of 2 % of 500,000. Expenses over 68,217.60 less that NOI.
        // Proxy: 8 x 1,000 x 0.88 x 12 x 0.93 x 0.55 = 43,211.52.
        ['5_12', 1, '1.00', '0.71', '1.44', '1.00'],
      );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
