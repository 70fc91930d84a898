/**
 * Real files through their adapters, where the folder that holds them is present. Each was held value by value against
 * another reading of the same bytes; its counts and the hash of its rows stand for that. A file that reads differently
 * after a change is compared with the file itself before its line here is changed.
 */
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import { load } from 'cheerio/slim';
import { sha256 } from '../../lib/files.ts';
import {
  itemsIn,
  readCalendar,
  readItems,
  readPreview,
  readStatuses,
} from '../../sources/readers/realauction/pages.ts';
import { type Dictionary, queryUrl, reso, trestle } from '../../sources/readers/reso/server.ts';
import { thorough } from '../thorough.ts';
import { parsed, sourceNamed } from './parsed.ts';
import {
  assessment,
  below,
  bexar,
  butler,
  bytesOf,
  cellsOf,
  censusCounties,
  certificates,
  chicago,
  cuyahoga,
  dropped,
  florida,
  franklin,
  hamilton,
  hamiltonList,
  jsonOf,
  layer,
  live,
  mlsRow,
  ohioItems,
  pittsburghEvents,
  PLACE,
  type Reading,
  reaps,
  searched,
  skip,
  ST_LOUIS_FIELDS,
  stLouis,
  taxRoll,
  textOf,
  transcribed,
} from './real_forms.ts';
import { readFrom } from './site_double.ts';

/** Files as an operator drops them: the source, the path, the reading, and the name if it is another one. */
const DROPPED: readonly (readonly [source: string, path: string, reading: string, name?: string])[] = [
  ['hud_fmr', 'hud/FY26_FMRs.xlsx', '4764 4764 0 0 7b2f4dab279a'],
  ['hud_fmr', 'live/hud/FY2019_FMR_excerpt.csv', '104 103 0 1 485e9e683be4', 'FY19_FMRs.csv'],
  ['hud_fmr', 'live/hud/FY2020_FMR_excerpt.csv', '104 103 0 1 22d33c9c96fc', 'FY20_FMRs.csv'],
  ['hud_fmr', 'live/hud/FY2021_FMR_excerpt.csv', '104 103 0 1 dd79f2ec5dd2', 'FY21_FMRs.csv'],
  ['hud_fmr', 'live/hud/FY2022_FMR_excerpt.csv', '104 103 0 1 457fd4633b48', 'FY22_FMRs.csv'],
  ['hud_fmr', 'live/hud/FY2023_FMR_excerpt.csv', '104 103 0 1 e3ba278ec1d5', 'FY23_FMRs.csv'],
  ['hud_fmr', 'live/hud/FY2024_FMR_excerpt.csv', '104 103 0 1 7022a6c5750b', 'FY24_FMRs.csv'],
  ['hud_fmr', 'live/hud/FY2025_FMR_excerpt.csv', '104 103 0 1 bc96879f0e7b', 'FY25_FMRs.csv'],
  ['hud_safmr', 'live/hud/fy2021_safmrs_revised_excerpt.csv', '160 160 0 0 56adb6eb1bf5', 'fy2021_safmrs_revised.csv'],
  ['hud_safmr', 'live/hud/fy2022_safmrs_revised_excerpt.csv', '160 160 0 0 f2a344c59344', 'fy2022_safmrs_revised.csv'],
  ['hud_safmr', 'live/hud/fy2023_safmrs_revised_excerpt.csv', '160 160 0 0 1e315d284f54', 'fy2023_safmrs_revised.csv'],
  ['hud_safmr', 'live/hud/fy2024_safmrs_revised_excerpt.csv', '160 160 0 0 aa8d0e49a78b', 'fy2024_safmrs_revised.csv'],
  ['colorado_sos', 'colorado/Business-Entities-in-Colorado_2017_ditch_subset.csv', '899 864 0 35 f268f94424d5'],
  [
    'freddie_pmms',
    'underwriting/rates/freddie_pmms_history_csv_layout.csv',
    '3 3 0 0 d610c64e42d6',
    'PMMS_history.csv',
  ],
  ['census_acs', 'underwriting/acs/acs5_2024_metro_rent_value_tax_bedrooms.json', '935 935 0 0 40c208789244'],
  ['oh_montgomery_tax', 'tax/montgomery_dayton_reap_parcels.csv', '609 609 0 0 6110faa380f7', 'reap.csv'],
  ['operator_files', 'live/listings/crexi_23_columns_banner_row1.csv', '2 1 1 0 6e7c328b0dff', 'list.csv'],
  ['operator_files', 'live/listings/crexi_23_columns_banner_row2.csv', '2 1 1 0 88503f8f2bd9', 'list.csv'],
  ['operator_files', 'live/listings/redfin_rows_2021.csv', '2 1 1 0 8e6bd20f8290', 'list.csv'],
  ...thorough<typeof DROPPED>(
    [],
    [
      ['hud_fmr', 'hud/FY25_FMRs.csv', '4764 4764 0 0 a80cb8084f9d'],
      ['hud_fmr', 'hud/FY25_FMRs_revised.csv', '4764 4764 0 0 810af5775d0f'],
    ],
  ),
];

const CUYAHOGA_FIELDS =
  'parcel_id parcel_unit parcel_owner par_addr_all parcel_city parcel_zip mail_addr_street mail_unit_no mail_city ' +
  'mail_state mail_zip total_net_delq_balance tax_market_total';
const HAMILTON_FIELDS = 'AUDPTYID AUDPCLID DELQ_TAXES ADDRNO ADDRST ADDRSF MKT_TOTAL_VAL CLASS PAR_DELETED';
const BEXAR_FIELDS = 'ADDRESS DOC_NUMBER YEAR MONTH CITY ZIP';
const ROLL_FIELDS = `${ST_LOUIS_FIELDS} AsdTotal ResSaleDate ResSalePrice FirstYearBuilt NbrOfUnits`;
const PERMIT_FIELDS =
  'B1_ALT_ID B1_PARCEL_NBR SITE_ADDRESS B1_SITUS_ZIP B1_PER_TYPE B1_FILE_DD B1_APPL_STATUS INSP_LAST_DATE';
const ALLEGHENY = 'more/allegheny/';
const filings = (file: string) => (): Reading =>
  searched('pa_allegheny_foreclosures', cellsOf(ALLEGHENY + file), 'case_id', 'pin');
const CONDEMNED = `${ALLEGHENY}condemned_dead_end_2025_entity_owners.csv`;
const DUPLEX = 'mlsgrid_northstar_duplex_excerpt.json';
const CREXI = { ...PLACE, Address: '12 Ashford St', 'Asking Price': '640000', Type: 'Multifamily', Units: '12' };
const COSTAR = {
  ...PLACE,
  'Property Address': '12 Ashford St',
  'For Sale Price': '640000',
  'Number Of Units': '12',
  'Number Of Studios Units': '2',
  'Number Of 1 Bedrooms Units': '4',
  'Number Of 2 Bedrooms Units': '4',
  'Number Of 3 Bedrooms Units': '1',
  'Number Of 4 Bedrooms Units': '1',
  'One Bedroom Vacancy %': '5',
};
const FLEXMLS = {
  'List Number': '6100001',
  'Dwelling Type': 'Multiple Dwellings',
  Status: 'A',
  'List Price': '640000.00',
  'House Number': '12',
  'Street Name': 'Ashford',
  'St Suffix': 'ST',
  'City/Town Code': 'Toledo',
  'State/Province': 'OH',
  'Zip Code': '43604',
  '# Bedrooms': '4',
  Taxes: '3941',
};

/** Rows that were recorded alone, in the form in which their site would send them. */
const MADE: readonly (readonly [title: string, reading: string, read: () => Reading])[] = [
  ['LienHub: certificates', '224 224 0 0 0e1742e6e2f7', certificates],
  [
    'Census: counties',
    '21 21 0 0 a260a808da1d',
    () => dropped('census_acs', { 'acs5_2024_counties.json': censusCounties() }),
  ],
  [
    'Cuyahoga: parcels with debts',
    '10 6 1 3 ce44077ea63f',
    () => layer('oh_cuyahoga_tax', cuyahoga(), CUYAHOGA_FIELDS),
  ],
  ['Hamilton: parcels', '88 88 0 0 58399fade494', () => layer('oh_hamilton_parcels', hamilton(), HAMILTON_FIELDS)],
  ['Hamilton: the list of the same parcels', '88 88 0 0 a5f9d5959ee5', hamiltonList],
  ["Montgomery: Dayton's map", '60 60 0 0 e9e7eb35b770', () => reaps('reaps_excerpt')],
  ["Montgomery: Dayton's map, numbers with a letter", '85 85 0 0 5a99a21ce397', () => reaps('reaps_letter_85')],
  [
    "Montgomery: Dayton's map, numbers with six digits",
    '61 61 0 0 22169053fde6',
    () => reaps('reaps_six_digit_book_61'),
  ],
  [
    "Montgomery: the Treasurer's columns",
    '0 0 0 0 643d54371042',
    () => dropped('oh_montgomery_tax', { 'delq_20261101.csv': textOf('tax/HEADER_montgomery_delq.txt') }),
  ],
  ['Montgomery: columns of the tax roll', '0 0 0 0 643d54371042', taxRoll],
  ['Franklin: parcels', '5 5 0 0 bef1851fcf0c', franklin],
  [
    'Bexar: notices of foreclosure',
    '110 110 0 0 836ff72b28aa',
    () => layer('tx_bexar_foreclosures', bexar('NOF'), BEXAR_FIELDS),
  ],
  ['Bexar: tax sales', '16 16 0 0 ffa0e19bfd3d', () => layer('tx_bexar_tax_sales', bexar('TAX'), BEXAR_FIELDS)],
  [
    'St. Louis: vacant buildings',
    '11 11 0 0 8876602308b0',
    () => layer('mo_st_louis_vacant', stLouis(), `${ST_LOUIS_FIELDS} VacBldgYear VacantLot`),
  ],
  ['St. Louis: the roll', '11 11 0 0 367a78cc849a', () => layer('mo_st_louis_parcels', stLouis(), ROLL_FIELDS)],
  [
    'St. Louis: debts, none of the land bank',
    '11 10 1 0 5140427f76b9',
    () => layer('mo_st_louis_tax', stLouis(), `${ST_LOUIS_FIELDS} TaxBalDue AsdTotal`),
  ],
  [
    'Columbus: a permit',
    '1 1 0 0 61e0385c81a4',
    () =>
      layer(
        'oh_columbus_code',
        transcribed('more/columbus/rows_transcribed.json', 'building_permit_partial'),
        PERMIT_FIELDS,
      ),
  ],
  ['Allegheny: foreclosures of 2022', '250 250 0 0 1e4f18991f43', filings('foreclosure_filings_2022_sample.csv')],
  ['Allegheny: foreclosures of 2026', '16 14 0 2 edfcc121489e', filings('foreclosure_filings_2026_transcribed.csv')],
  [
    'Pittsburgh: condemned buildings',
    '250 174 63 13 3d2ef9910e8f',
    () => searched('pa_pittsburgh_condemned', cellsOf(CONDEMNED), 'parcel_id', 'property_type'),
  ],
  [
    'Pittsburgh: cases',
    '13 2 0 11 a9a3a0c93d14',
    () => searched('pa_pittsburgh_violations', pittsburghEvents(), 'casefile_number'),
  ],
  ['Allegheny: an assessment', '1 1 0 0 53d2f691a5e3', () => searched('pa_allegheny_parcels', [assessment()], 'PARID')],
  [
    'Chicago: a violation',
    '1 1 0 0 14ca0d43219c',
    () => chicago('il_chicago_violations', '22u3-xenr_building_violations_partial'),
  ],
  [
    'Chicago: a vacant building',
    '1 1 0 0 dcab1406a2df',
    () => chicago('il_chicago_vacant', 'u7si-yh3t_vacant_building_violations'),
  ],
  ['RealAuction: items of LOAD with the statuses of UPDATE', '2 2 0 0 791f17eec1c6', ohioItems],
  [
    'RealAuction: foreclosures in Florida',
    '309 309 0 0 8c2b4724a436',
    () => florida('fl_foreclosure_2026-03-14_sample.json'),
  ],
  [
    'RealAuction: tax deeds in Florida',
    '481 481 0 0 0f00215635c9',
    () => florida('fl_all_counties_taxdeed_2026-03-14.json'),
  ],
  ['RealAuction: items in Pennsylvania', '2 2 0 0 128af438c797', butler],
  ['MLS Grid: a duplex', '1 1 0 0 00a93376f953', () => mlsRow(DUPLEX, { StandardStatus: 'Active' })],
  ['MLS Grid: the duplex as it was sold', '1 0 1 0 b8e04139933e', () => mlsRow(DUPLEX)],
  // Its publisher has made the place up: a ZIP of Massachusetts in California.
  [
    'MLS Grid: another listing',
    '1 1 0 0 5fdabeddadad',
    () => mlsRow('mlsgrid_mred_property_excerpt.json', { StandardStatus: 'Active', StateOrProvince: 'MA' }),
  ],
  ["Crexi's headings", '1 1 0 0 d97c64d6ae9a', () => below('crexi_24_columns_header.csv', CREXI)],
  ["CoStar's headings", '1 1 0 0 1b2f24aa8d11', () => below('costar_multifamily_header.csv', COSTAR)],
  ["Flexmls' headings", '1 1 0 0 f1cfb90d5baf', () => below('armls_flexmls_header.csv', FLEXMLS)],
];

describe('a real file gives the same rows and rejects as when it was compared with another reading', { skip }, () => {
  const files = DROPPED.map(([source, path, reading, name = basename(path)]) => {
    const read = (): Reading => dropped(source, { [name]: bytesOf(path) });
    return [path, reading, read] as const;
  });
  for (const [title, reading, read] of [...files, ...MADE])
    test(title, async () => {
      const [spec, pages] = read();
      const { rowsIn, rows, rejects, merged } = await parsed(spec, pages);
      assert.equal(rowsIn, rows.length + rejects.length + merged);
      const columns = [...spec.row.columns.map(({ name }) => name), 'source_url'];
      const values = rows.map((row) =>
        columns.flatMap((name) => ((row[name] ?? null) === null ? [] : [[name, row[name]]])),
      );
      const hash = sha256(JSON.stringify([values, rejects.map(({ reason, detail }) => [reason, detail])]));
      assert.equal(`${rowsIn} ${rows.length} ${rejects.length} ${merged} ${hash.slice(0, 12)}`, reading);
    });
});

test(
  'real pages of RealAuction: the calendar, the page of a day, counts, and items that have no row yet',
  { skip },
  () => {
    assert.deepEqual(readCalendar(live('realauction_oh/calendar.html'), '2026-07'), [
      { day: '2026-07-22', active: 0, scheduled: 2 },
      { day: '2026-07-29', active: 0, scheduled: 3 },
    ]);
    assert.deepEqual(readStatuses(live('realauction_oh/update_page_1.json')).pages, { W: 2, C: 0 });
    const listed = readPreview(live('realauction_fl/duval_preview_excerpt_2026-06-04.html'), '2026-06-04');
    const counts = [
      'duval_area_w_2026-06-04_raw',
      'pasco_area_w_2026-06-05_items_1_2',
      'pasco_area_c_2026-06-05',
      'hillsborough_area_c_2026-06-05',
      'hillsborough_area_r_empty_2026-06-05',
    ].map((name) => {
      const found = readItems(live(`realauction_fl/${name}.json`));
      for (const { labelled } of found)
        for (const label of ['Case #', 'Parcel ID', 'Property Address', '', 'Final Judgment Amount'])
          assert.ok(
            labelled.some(([printed]) => printed === label),
            `${name}: ${label}`,
          );
      return found.filter(({ aid }) => name.startsWith('duval') === listed.includes(aid)).length;
    });
    assert.deepEqual(counts, [1, 2, 1, 2, 0]);
    const ofButler = live('realauction_oh/butler_pa_item.html');
    const $ = load(ofButler.text());
    assert.deepEqual(
      itemsIn($, $.root(), ofButler.url).map(({ labelled }) => labelled.map(([label]) => label)),
      [['Case Status', 'Case #', 'Final Judgment Amount', 'Parcel ID', 'Property Address', '', 'Opening Bid']],
    );
  },
);

test("Cleveland's recorded definitions have every field that the adapters request", { skip }, async () => {
  for (const [source, name, ...expected] of [
    ['oh_cleveland_parcels', 'Parcel_Analytics_PUBLIC_DRAFT_', '2000', 'OBJECTID'],
    ['oh_cleveland_violations', 'Complaint_Violation_Notices', '1000', 'ObjectId'],
    ['oh_cleveland_condemned', 'Current_Condemnations', '1000', 'ObjectId'],
  ] as const) {
    const description = jsonOf(`more/cleveland_arcgis/${name}.FeatureServer.0.json`) as { fields: { name: string }[] };
    const { asked } = await readFrom(sourceNamed(source), ({ pathname, searchParams: q }) => {
      if (!pathname.endsWith('/query')) return JSON.stringify(description);
      return JSON.stringify(q.has('returnCountOnly') ? { count: 0 } : { fields: description.fields, features: [] });
    });
    const query = new URL(asked[2] ?? '').searchParams;
    assert.deepEqual([query.get('resultRecordCount'), query.get('orderByFields')], expected);
    const published = new Set(description.fields.map((field) => field.name));
    assert.deepEqual(
      query
        .get('outFields')
        ?.split(',')
        .filter((field) => !published.has(field)),
      [],
    );
  }
});

test(
  'every field and word of a RESO query is in its Data Dictionary; five units and more are commercial',
  { skip },
  () => {
    for (const dictionary of ['1.7', '2.0', '2.1'] satisfies Dictionary[]) {
      const known = new Set(
        cellsOf(`live/reso/fields_${dictionary}_property_subset.csv`).map((row) => row['StandardName']),
      );
      const server = reso('https://api.mls.example', { dictionary });
      const asked = new URL(queryUrl(server, null)).searchParams.get('$select')?.split(',') ?? [];
      // The excerpt of the dictionary leaves it out; rows of a real MLS have it.
      assert.deepEqual(
        asked.filter((field) => !known.has(field)),
        ['OffMarketDate'],
        dictionary,
      );
      assert.equal(known.has('ListingURL'), dictionary !== '1.7');
      const lookups = cellsOf(`live/reso/lookups_${dictionary}_property.csv`);
      const isWord = (name: string, value: string, column = 'StandardLookupValue'): boolean =>
        lookups.some((row) => row['LookupName'] === name && row[column] === value);
      for (const { type, subtypes = [] } of server.types) {
        assert.ok(isWord('PropertyType', type), type);
        for (const subtype of subtypes) assert.ok(isWord('PropertySubType', subtype), subtype);
      }
      for (const status of server.onMarket) assert.ok(isWord('StandardStatus', status), status);
      for (const { type } of trestle().types) assert.ok(isWord('PropertyType', type, 'LegacyODataValue'), type);
      const multiFamily = lookups.find((row) => row['StandardLookupValue'] === 'Multi Family');
      assert.match(multiFamily?.['Definition'] ?? '', /(?:5|five) or more units/u);
      assert.doesNotMatch(multiFamily?.['References'] ?? 'RINC', /RINC|RESI/u);
    }
  },
);
