/**
 * HUD's rent API, with the same rents as the workbook. As in its documentation, responses differ in form: one state has
 * numbers, the next has text; one has state_name, the next statename. Any token is valid except "expired" (401) and
 * "unregistered" (403).
 */
import { json, type SandboxRequest, type SandboxResponse } from '../http.ts';
import { rents } from '../world/rents.ts';
import type { ZipRent } from '../world/zip_rents.ts';

const ROOT = '/hudapi/public/fmr/';
const YEAR = '2026';
const SIZES = ['Efficiency', 'One-Bedroom', 'Two-Bedroom', 'Three-Bedroom', 'Four-Bedroom'];

const states = [...new Set(rents.map((county) => county.stusps))].sort();
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
  const counties = rents.filter((county) => county.stusps === state);
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
  const area = rents.find((county) => county.hudAreaCode === code || county.fips === code);
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
export function hudApi(request: SandboxRequest, zips: readonly ZipRent[]): SandboxResponse | null {
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
        state_num: rents.find((rent) => rent.stusps === code)?.state,
        category: 'State',
      })),
    );
  if (![YEAR, null].includes(request.query.get('year')))
    return error(404, `No data found for the year ${request.query.get('year') ?? ''}`);
  if (route === 'statedata') return stateData(id, zips.length > 0);
  return route === 'data' ? areaData(id, zips) : error(404, 'No such route');
}
