/** Lists as people really send them: each kind was seen in a public file or bug report. All values are invented. */
import { type ColInfo, type RowInfo, utils, write } from '@e965/xlsx';
import type { Layout } from './listing_layouts.ts';

const HEADINGS = ['Address', 'City', 'State', 'ZIP', 'Price', 'Units'];
const ELM = ['12 Elm St', 'Akron', 'OH', '44308', 640_000, 8] as const;
const PINE = ['99 Pine St', 'Akron', 'OH', '44308', 300_000, 6] as const;
const READ = ['12 Elm St | Akron | OH | 44308 | 640000.00 | 8 | for_sale'];

type Row = readonly (string | number)[];

interface Hiding {
  readonly rows?: RowInfo[];
  readonly columns?: ColInfo[];
  readonly isSecondSheet?: boolean;
  readonly isFrom1904?: boolean;
}

/** A workbook with hidden parts. */
function bookOf(sheets: readonly (readonly Row[])[], hiding: Hiding): Uint8Array {
  const names = sheets.map((_, at) => ['Current', 'Old 2024'][at] ?? `Sheet${at}`);
  const made = sheets.map((rows) => utils.aoa_to_sheet(rows.map((row) => [...row])));
  const [first] = made;
  if (first && hiding.rows) first['!rows'] = hiding.rows;
  if (first && hiding.columns) first['!cols'] = hiding.columns;
  const Workbook = {
    Sheets: names.map((name, at) => ({ name, Hidden: at === 1 && hiding.isSecondSheet ? (1 as const) : (0 as const) })),
    WBProps: { date1904: hiding.isFrom1904 ?? false },
  };
  const book = {
    SheetNames: names,
    Sheets: Object.fromEntries(names.map((name, at) => [name, made[at] ?? {}])),
    Workbook,
  };
  return new Uint8Array(write(book, { type: 'array', bookType: 'xlsx', cellStyles: true }));
}

const csv = (...rows: readonly Row[]): string => rows.map((row) => row.join(',')).join('\n');
const under = (price: string, cell: string | number): Pick<Layout, 'file' | 'body'> => ({
  file: 'list.csv',
  body: csv(['Address', 'City', 'State', 'ZIP', price, 'Units'], ['12 Elm St', 'Akron', 'OH', '44308', cell, 8]),
});

const SALES = ['Property Address', 'Property City', 'Property State', 'Property Zip', 'Sale Price', 'Sale Date'];

/** A list with this day number, in a workbook that counts from 1904. */
export const listFrom1904 = (day: number): Uint8Array =>
  bookOf(
    [
      [
        [...HEADINGS, 'List Date'],
        [...ELM, day],
      ],
    ],
    { isFrom1904: true },
  );

const SECOND_ROW_HIDDEN = [{}, {}, { hidden: true }];

export const HARD_LISTS: readonly Layout[] = [
  {
    name: 'a hidden sheet is left out, and said',
    file: 'list.xlsx',
    body: bookOf(
      [
        [HEADINGS, ELM],
        [HEADINGS, PINE],
      ],
      { isSecondSheet: true },
    ),
    rows: READ,
    rejects: ['hidden_sheet'],
  },
  {
    name: 'a hidden row is left out, and said',
    file: 'list.xlsx',
    body: bookOf([[HEADINGS, ELM, PINE]], { rows: SECOND_ROW_HIDDEN }),
    rows: READ,
    rejects: ['hidden_row'],
  },
  {
    name: 'a hidden column is left out, and said',
    file: 'list.xlsx',
    body: bookOf(
      [
        [
          [...HEADINGS, 'Sold Date'],
          [...ELM, '2024-05-01'],
        ],
      ],
      {
        columns: [{}, {}, {}, {}, {}, {}, { hidden: true }],
      },
    ),
    rows: READ,
    rejects: ['hidden_column'],
  },
  {
    name: 'an export of sales is no list of listings',
    file: 'CostarExport.csv',
    body: csv(SALES, ['12 Elm St', 'Akron', 'OH', '44308', 640_000, '9/2/2026']),
    refused: /"Sale Price" is what a sold building cost: these look like sales/u,
  },
  {
    name: 'of sales and listings in one export, the sold ones are sold',
    file: 'CostarExport.csv',
    body: csv(
      [...SALES, 'Sale Status', 'Asking Price'],
      ['12 Elm St', 'Akron', 'OH', '44308', 640_000, '9/2/2026', 'Sold', 700_000],
      ['14 Elm St', 'Akron', 'OH', '44308', '', '', 'Active', 650_000],
      ['16 Elm St', 'Akron', 'OH', '44308', 600_000, '', '', 650_000],
    ),
    rows: [
      '12 Elm St | Akron | OH | 44308 | 700000.00 |  | sold',
      '14 Elm St | Akron | OH | 44308 | 650000.00 |  | for_sale',
      '16 Elm St | Akron | OH | 44308 | 650000.00 |  | sold',
    ],
  },
  { name: 'a price in thousands, by its heading', ...under('Price ($000s)', '"$640"'), rows: READ },
  { name: 'a price in millions, by its heading', ...under('Asking Price (in millions)', 0.64), rows: READ },
  {
    name: 'a price per unit is no price',
    ...under('Price (per unit)', 80_000),
    refused: /no heading for price .*"Price \(per unit\)" is per unit, not the price/u,
  },
  { name: 'a price that only thousands explain', ...under('Price', 640), rejects: ['sentinel_value'] },
  {
    name: 'an NOI per month is not read, and said',
    file: 'list.csv',
    body: csv([...HEADINGS, 'NOI (monthly)'], [...ELM, 4000]),
    rows: READ,
    rejects: ['unread_column'],
  },
  {
    name: 'two units of one house are two properties',
    file: 'list.csv',
    body: csv([...HEADINGS, 'Unit'], [...ELM, '#4'], [...ELM, '5']),
    rows: [READ[0]?.replace(' |', ' #4 |') ?? '', READ[0]?.replace(' |', ' #5 |') ?? ''],
  },
  {
    name: 'a ZIP of another state rejects the row',
    file: 'list.csv',
    body: csv(HEADINGS, ['12 Elm St', 'Cleveland', 'TN', '44102', 640_000, 8], ELM),
    rows: READ,
    rejects: ['bad_zip'],
  },
  {
    name: 'a ZIP that lost its zero, where the state has such ZIPs',
    file: 'list.csv',
    body: csv(
      HEADINGS,
      ['257 Hutton St', 'Jersey City', 'NJ', '7307', 640_000, 8],
      ['12 Elm St', 'Portland', 'ME', '4101.0', 640_000, 8],
      ['14 Elm St', 'Houston', 'TX', '7702', 640_000, 8],
    ),
    rows: [
      '257 Hutton St | Jersey City | NJ | 07307 | 640000.00 | 8 | for_sale',
      '12 Elm St | Portland | ME | 04101 | 640000.00 | 8 | for_sale',
    ],
    rejects: ['bad_zip'],
  },
  {
    name: 'an estimate of the value of houses that nobody offers is not proposed as their price',
    file: 'leads.csv',
    body: csv(
      [...SALES.slice(0, 4), 'Estimated Market Value', 'Estimated Equity'],
      ['12 Elm St', 'Akron', 'OH', '44308', 640_000, 340_000],
    ),
    refused: /Ask for the list with columns for price$/u,
  },
  {
    name: 'spellings of states and ZIPs',
    file: 'list.csv',
    body: csv(
      HEADINGS,
      ['12 Elm St', 'Akron', 'Ohio', '="44308"', 640_000, 8],
      ['14 Elm St', 'Akron', 'O.H.', "'44308", 640_000, 8],
      ['16 Elm St', 'Akron', 'OHIO', '44308.0', 640_000, 8],
    ),
    rows: ['12', '14', '16'].map((house) => `${house} Elm St | Akron | OH | 44308 | 640000.00 | 8 | for_sale`),
  },
  {
    name: 'a whole address in the column of the street',
    file: 'list.csv',
    body: csv(
      HEADINGS,
      ['12 Elm St Akron OH 44308', 'Akron', 'OH', '44308', 640_000, 8],
      ['"14 Elm St, Akron"', 'Akron', 'OH', '44308', 640_000, 8],
    ),
    rows: ['12', '14'].map((house) => `${house} Elm St | Akron | OH | 44308 | 640000.00 | 8 | for_sale`),
  },
];
