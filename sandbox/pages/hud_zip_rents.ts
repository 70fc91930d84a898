/**
 * Made-up rents by ZIP, for tests only. The world's rents are HUD's real figures, and no real ZIP rents of that year
 * are available, so the sandbox posts none. These vary around the county's rent by the digits of the ZIP.
 */
import { respond } from '../http.ts';
import type { Alter } from '../server.ts';
import { rentsOf } from '../world/rents.ts';
import type { World } from '../world/types.ts';
import { hudApi, type ZipRent } from './hud_api.ts';
import { workbook } from './xlsx.ts';

/** Each ZIP of the world with each HUD area that has a property in it. */
export function zipRents(world: World): ZipRent[] {
  const found = new Map<string, ZipRent>();
  for (const { zip, countyFips } of world.properties.values()) {
    const area = rentsOf(countyFips);
    const percent = 80 + ((Number(zip) * 7919) % 41);
    found.set(`${zip} ${area.hudAreaCode}`, {
      zip,
      area,
      rents: area.fmr.map((rent) => Math.round((rent * percent) / 1000) * 10),
    });
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, rent]) => rent);
}

const ROOMS = [0, 1, 2, 3, 4];

/** The ZIP workbook: line breaks in column names, payment standards between the rents. */
function zipWorkbook(zips: readonly ZipRent[]): Uint8Array {
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
  return workbook(
    [
      {
        name: 'SAFMRs',
        rows: [
          header,
          ...zips.map(({ zip, area, rents }) => [
            zip,
            area.hudAreaCode,
            area.hudAreaName,
            ...rents.flatMap((rent) => [rent, Math.round(rent * 0.9), Math.round(rent * 1.1)]),
          ]),
        ],
      },
      { name: 'Note', rows: [['Made up for a test: these are not figures of HUD.']] },
    ],
    '2025-08-22',
  );
}

/** An `alter` for startSandbox that posts the made-up ZIP rents, as a workbook or in the API. */
export function withZipRents(world: World, by: 'workbook' | 'api'): Alter {
  const zips = zipRents(world);
  const file = zipWorkbook(zips);
  return (request, response) => {
    if (request.host !== 'www.huduser.gov' || response.status === 202) return undefined;
    if (by === 'api')
      return hudApi({ publicHost: request.host, cookies: {}, firstVisit: false, ...request }, zips) ?? undefined;
    return request.path === '/portal/datasets/fmr/fmr2026/fy2026_safmrs.xlsx'
      ? respond(file, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
      : undefined;
  };
}
