/** HUD's workbook of rents by ZIP, with the world's made-up rents. */
import { zipRents } from '../world/zip_rents.ts';
import { workbook } from './xlsx.ts';

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
export const zipWorkbook = (): Uint8Array =>
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
