/**
 * HUD's yearly workbooks: Fair Market Rents, with the real FY2026 rents of the world's counties, and rents by ZIP,
 * which are made up. FY2027 is not posted: no real rents are available. The response to a client's first request is 202
 * with an empty body, as the real site sends to programs.
 */
import { httpDate, page, respond, type SandboxRequest, type SandboxResponse, withValidators } from '../http.ts';
import type { WorldDay } from '../world/world.ts';
import { zipRents } from '../world/rents.ts';
import { htmlPage, perDay } from './parts.ts';
import { workbook } from './xlsx.ts';

/** Path of the workbook on HUD's site. */
const ZIP_WORKBOOK = '/portal/datasets/fmr/fmr2026/fy2026_safmrs.xlsx';

const ROOMS = [0, 1, 2, 3, 4];

/** Line breaks in column names, payment standards between the rents. */
const header = [
  'ZIP\nCode',
  'HUD Area Code',
  'HUD Fair Market Rent Area Name',
  ...ROOMS.flatMap((rooms) => [
    `SAFMR\n${rooms}BR`,
    `SAFMR\n${rooms}BR -\n90%\nPayment\nStandard`,
    `SAFMR\n${rooms}BR -\n110%\nPayment\nStandard`,
  ]),
];

let file: Uint8Array | undefined;

/** The workbook. It is the same on all days. */
const zipWorkbook = (): Uint8Array =>
  (file ??= workbook(
    [
      {
        name: 'SAFMRs',
        rows: [
          header,
          ...zipRents.map(({ zip, area, rents }) => [
            zip,
            area.hudAreaCode,
            area.hudAreaName,
            ...rents.flatMap((rent) => [rent, Math.round(rent * 0.9), Math.round(rent * 1.1)]),
          ]),
        ],
      },
      { name: 'Note', rows: [['SANDBOX: the rents by ZIP are made up, and no figures of HUD.']] },
    ],
    '2025-08-22',
  ));

const POSTED = '2025-08-22';
const EXCEL = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const COLUMNS = (
  'stusps state hud_area_code countyname county_town_name metro hud_area_name fips pop2023 fmr_0 fmr_1 fmr_2 ' +
  'fmr_3 fmr_4'
).split(' ');
/** The second sheet spells two of the fields differently. */
const DESCRIPTIONS = [
  ['Field_Name', 'Description'],
  ['stusps', 'State Postal Code'],
  ['state', '2 Digit State FIPS Code'],
  ['hud_area_code', 'HUD Specific Area Code'],
  ['County_Name', 'County Name'],
  ['county_town_name', 'Town Name for areas in New England, otherwise County Name'],
  ['metro', '1 if area is in a Metropolitan Statistical Area- 0 if not'],
  ['HUD_Area_Name', 'HUD Area Name'],
  ['fips', 'Concatenated 2 Digit State FIPS Code, 3 Digit County FIPS Code, and 5 Digit County Subdivision FIPS Code'],
  ['pop2023', 'Population in 2023'],
  ...[0, 1, 2, 3, 4].map((rooms) => [`fmr_${rooms}`, `FY 2026 ${rooms}-Bedroom Fair Market Rent`]),
];

const fy26 = perDay((day) =>
  workbook(
    [
      {
        name: 'FY26_FMRs',
        rows: [
          COLUMNS,
          ...day.rents.map((rent) => [
            rent.stusps,
            rent.state,
            rent.hudAreaCode,
            rent.countyName,
            rent.townName,
            rent.metro,
            rent.hudAreaName,
            rent.fips,
            rent.population,
            ...rent.fmr,
          ]),
        ],
      },
      { name: 'Field_Descriptions', rows: DESCRIPTIONS },
    ],
    POSTED,
  ),
);

/** The site's pages. */
export function hud(day: WorldDay, request: SandboxRequest): SandboxResponse | null {
  if (request.path === '/robots.txt')
    return respond('User-agent: *\nDisallow: /portal/admin/\n', 'text/plain; charset=utf-8');
  if (request.firstVisit) return respond('', 'text/html', {}, 202);
  switch (request.path) {
    case '/portal/datasets/fmr.html':
      return page(
        htmlPage(
          'Fair Market Rents',
          '<h1>Fair Market Rents</h1>\n' +
            '<a href="/portal/datasets/fmr/fmr2026/FY26_FMRs.xlsx">FY 2026 county data (Excel)</a>',
        ),
      );
    case '/portal/datasets/fmr/smallarea/index.html':
      return page(
        htmlPage(
          'Small Area Fair Market Rents',
          `<h1>Small Area Fair Market Rents</h1>\n<a href="${ZIP_WORKBOOK}">FY 2026 rents by ZIP (Excel)</a>`,
        ),
      );
    case '/portal/datasets/fmr/fmr2026/FY26_FMRs.xlsx':
      return withValidators(respond(fy26(day), EXCEL), httpDate(POSTED, '19:40:11'));
    case ZIP_WORKBOOK:
      return withValidators(respond(zipWorkbook(), EXCEL), httpDate(POSTED, '19:44:02'));
    default:
      return null;
  }
}
