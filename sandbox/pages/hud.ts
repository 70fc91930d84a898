/**
 * HUD's yearly workbooks: Fair Market Rents, with the real FY2026 rents of the world's counties, and rents by ZIP,
 * which are made up. FY2027 is not posted: no real rents are available. The response to a client's first request is 202
 * with an empty body, as the real site sends to programs. HUD's API has the same rents. As in its documentation,
 * responses differ in form: one state has numbers, the next has text; one has state_name, the next statename. Any token
 * is valid except "expired" (401) and "unregistered" (403).
 */
import { httpDate, json, page, respond, type SandboxRequest, type SandboxResponse, withValidators } from '../http.ts';
import { rents as areaRents } from '../world/rents.ts';
import type { WorldDay } from '../world/types.ts';
import { type ZipRent, zipRents } from '../world/zip_rents.ts';
import { htmlPage } from './html.ts';
import { perDay } from './per_day.ts';
import { workbook } from './xlsx.ts';

const ROOT = '/hudapi/public/fmr/';
const YEAR = '2026';
const SIZES = ['Efficiency', 'One-Bedroom', 'Two-Bedroom', 'Three-Bedroom', 'Four-Bedroom'];

const states = [...new Set(areaRents.map((county) => county.stusps))].sort();
const error = (status: number, message: string): SandboxResponse =>
  json({ error: { code: status, message } }, {}, status);

/** The form of a response: every other state uses the other one. */
const styleOf = (
  state: string,
): {
  amount: (n: number) => number | string;
  name: string;
  code: string;
  status: (small: boolean) => number | string;
} =>
  states.indexOf(state) % 2 === 0
    ? { amount: (rent) => rent, name: 'state_name', code: 'state_code', status: (small) => (small ? '1' : '0') }
    : { amount: (rent) => `${rent}.0`, name: 'statename', code: 'statecode', status: (small) => (small ? 1 : 0) };

const sizes = (figures: readonly number[], amount: (n: number) => number | string): Record<string, number | string> =>
  Object.fromEntries(SIZES.map((size, rooms) => [size, amount(figures[rooms] ?? 0)]));

function stateData(state: string, small: boolean): SandboxResponse {
  const counties = areaRents.filter((county) => county.stusps === state);
  if (counties.length === 0) return error(404, `No data found for ${state}`);
  const style = styleOf(state);
  const areas = new Map(counties.filter((county) => county.metro === 1).map((county) => [county.hudAreaCode, county]));
  return json({
    data: {
      year: YEAR,
      metroareas: [...areas.values()].map((area) => ({
        code: area.hudAreaCode,
        name: area.hudAreaName,
        [style.name]: state,
        [style.code]: state,
        ...sizes(area.fmr, style.amount),
        smallarea_status: style.status(small),
      })),
      counties: counties.map((county) => ({
        town_name: county.townName,
        county_name: county.countyName,
        metro_name: county.hudAreaName,
        fips_code: county.fips,
        ...sizes(county.fmr, style.amount),
        'FMR Percentile': 40,
        statename: state,
        statecode: state,
        smallarea_status: style.status(small && county.metro === 1),
      })),
    },
  });
}

/** One area: an object, or with rents by ZIP an array whose first element is the area itself. */
function areaData(code: string, zips: readonly ZipRent[]): SandboxResponse {
  const area = areaRents.find((county) => county.hudAreaCode === code || county.fips === code);
  if (!area) return error(404, `No data found for ${code}`);
  const { amount, status } = styleOf(area.stusps);
  const own = zips.filter((zip) => zip.area.hudAreaCode === area.hudAreaCode);
  return json({
    data: {
      county_name: '',
      counties_msa: area.countyName,
      town_name: '',
      metro_status: String(area.metro),
      metro_name: area.hudAreaName,
      area_name: area.hudAreaName,
      smallarea_status: status(own.length > 0),
      year: YEAR,
      basicdata:
        own.length === 0
          ? sizes(area.fmr, amount)
          : [
              { zip_code: 'MSA level', ...sizes(area.fmr, amount) },
              ...own.map(({ zip, rents: figures }) => ({ zip_code: zip, ...sizes(figures, amount) })),
            ],
    },
  });
}

/** The API's pages. */
function hudApi(request: SandboxRequest, zips: readonly ZipRent[]): SandboxResponse | null {
  if (!request.path.startsWith(ROOT)) return null;
  const token = /^Bearer (\S+)$/u.exec(request.headers['authorization'] ?? '')?.[1];
  if (token === undefined || token === 'expired') return error(401, 'Unauthenticated.');
  if (token === 'unregistered') return error(403, 'The token is not registered for this dataset.');
  if (!/application\/json|\*\/\*/u.test(request.headers['accept'] ?? ''))
    return error(406, 'Not acceptable: this API speaks application/json.');
  const [route = '', id = ''] = request.path.slice(ROOT.length).split('/').map(decodeURIComponent);
  if (route === 'listStates')
    return json(
      states.map((code) => ({
        state_name: code,
        state_code: code,
        state_num: areaRents.find((rent) => rent.stusps === code)?.state,
        category: 'State',
      })),
    );
  if (![YEAR, null].includes(request.query.get('year')))
    return error(404, `No data found for the year ${request.query.get('year') ?? ''}`);
  if (route === 'statedata') return stateData(id, zips.length > 0);
  return route === 'data' ? areaData(id, zips) : error(404, 'No such route');
}

/** Path of the workbook on HUD's site. */
export const ZIP_WORKBOOK = '/portal/datasets/fmr/fmr2026/fy2026_safmrs.xlsx';

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
      return hudApi(request, zipRents);
  }
}
