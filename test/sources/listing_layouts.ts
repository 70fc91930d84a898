/** Lists as brokers send them, one for each layout. All values are invented. */
import { utils, write, type BookType } from '@e965/xlsx';
import { workbook } from '../../sandbox/pages/xlsx.ts';

export interface Layout {
  readonly name: string;
  readonly file: string;
  readonly body: string | Uint8Array;
  readonly columns?: Readonly<Record<string, string | null>>;
  /** Accepted rows: street | city | state | ZIP | price | units | availability, blank where unknown. */
  readonly rows?: readonly string[];
  /** Reasons of the rejects. */
  readonly rejects?: readonly string[];
  /** The refusal of the whole file. */
  readonly refused?: RegExp;
}

const utf16 = (text: string): Uint8Array => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));
const book = (...sheets: readonly (readonly (readonly (string | number)[])[])[]): Uint8Array =>
  workbook(
    sheets.map((rows, at) => ({ name: ['Available', 'Sold 2026'][at] ?? `Sheet${at}`, rows })),
    '2026-11-19',
  );

const HEADINGS = 'Address,City,State,ZIP,Price,Units';
const ROWS = ['12 Ashford St,Toledo,OH,43604,640000,12', '88 Calder Blvd,Akron,OH,44308,"$1,250,000",24'];
const CLEAN = [HEADINGS, ...ROWS].join('\n');
const READ = ['12 Ashford St | Toledo | OH | 43604 | 640000.00 | 12 | for_sale'];
const BOTH = [...READ, '88 Calder Blvd | Akron | OH | 44308 | 1250000.00 | 24 | for_sale'];

/** The clean list with another delimiter. */
const delimited = (delimiter: string): string =>
  CLEAN.replace('"$1,250,000"', '@').replaceAll(',', delimiter).replace('@', '$1,250,000');

/** A list with a title and a total, in a format before Office Open XML. */
function oldBook(bookType: BookType): Uint8Array {
  const rows = [
    ['Available properties'],
    HEADINGS.split(','),
    ['12 Ashford St', 'Toledo', 'OH', '43604', 640_000, 12],
    ['88 Calder Blvd', 'Akron', 'OH', 44_308, '$1,250,000', 24],
    ['Total', null, null, null, 1_890_000, 36],
  ];
  const sheets = { Available: utils.aoa_to_sheet(rows) };
  return new Uint8Array(write({ SheetNames: ['Available'], Sheets: sheets }, { type: 'array', bookType }));
}

const HTML = `<html><table>${delimited('|')
  .split('\n')
  .map((row) => `<tr><td>${row.replaceAll('|', '</td><td>')}</td></tr>`)
  .join('')}</table></html>`;

export const LAYOUTS: readonly Layout[] = [
  { name: 'clean CSV', file: 'list.csv', body: CLEAN, rows: BOTH },
  {
    name: 'address in one column',
    file: 'list.csv',
    body:
      'Address,Asking Price,Units\n"12 Ashford St, Toledo, OH 43604","$640,000",12\n' +
      '"88 Calder Blvd, Unit B, Akron, OH 44308-1234","$1.25M",24 units\n' +
      '"9 Dunmar Pl, Akron OH, 44308","$85K",2\n"7 Elm Akron OH 44308","$85K",2\n"5 Elm St, Akron, OH 44308",1,2',
    rows: [
      ...READ,
      '88 Calder Blvd, Unit B | Akron | OH | 44308 | 1250000.00 | 24 | for_sale',
      '9 Dunmar Pl | Akron | OH | 44308 | 85000.00 | 2 | for_sale',
    ],
    rejects: ['bad_address', 'sentinel_value'],
  },
  {
    name: 'city, state and ZIP in one column',
    file: 'list.csv',
    body: 'Address,"City, State Zip",Price,Units\n12 Ashford St,"Toledo, OH 43604",640000,12 Units',
    rows: READ,
  },
  {
    name: 'workbook with title and total rows',
    file: 'list.xlsx',
    body: book([
      ['Available properties'],
      ['as of 11/19/2026'],
      HEADINGS.split(','),
      ['12 Ashford St', 'Toledo', 'OH', 43604, 640000, 12],
      ['Total', '', '', '', 640000, 12],
    ]),
    rows: READ,
  },
  {
    name: 'several sheets',
    file: 'list.xlsx',
    body: book(
      [HEADINGS.split(','), ['12 Ashford St', 'Toledo', 'OH', 43604, 640000, 12]],
      [HEADINGS.split(','), ['88 Calder Blvd', 'Akron', 'OH', 44308, 1250000, 24]],
      [['Notes'], ['All prices are asking prices.']],
    ),
    rows: [...READ, '88 Calder Blvd | Akron | OH | 44308 | 1250000.00 | 24 | sold'],
  },
  {
    name: 'unpriced rows among priced ones',
    file: 'list.csv',
    body: [
      HEADINGS,
      ROWS[0],
      '9 Dunmar Pl,Akron,OH,44308,Call for price,8',
      '10 Dunmar Pl,Akron,OH,44308,,8',
      '11 Dunmar Pl,Akron,OH,44308,Unpriced,8',
    ].join('\n'),
    rows: [...READ, ...['9', '10', '11'].map((n) => `${n} Dunmar Pl | Akron | OH | 44308 |  | 8 | for_sale`)],
  },
  { name: 'semicolons', file: 'list.csv', body: delimited(';'), rows: BOTH },
  { name: 'tabs', file: 'list.tsv', body: delimited('\t'), rows: BOTH },
  {
    name: 'two heading rows',
    file: 'list.csv',
    body: 'Street,City,State,ZIP,Asking,Number of\nAddress,,,Code,Price,Units\n12 Ashford St,Toledo,OH,43604,640000,12',
    rows: READ,
  },
  {
    name: 'JSON',
    file: 'list.json',
    body: JSON.stringify({
      count: 2,
      listings: [
        {
          id: 'a',
          address: { line1: 'x', street: '12 Ashford St', city: 'Toledo', state: 'OH', zipCode: '43604' },
          listPrice: 640000,
          units: 12,
          photos: ['1.jpg'],
        },
        {
          id: 'b',
          address: { street: '88 Calder Blvd', city: 'Akron', state: 'OH', zipCode: '44308' },
          listPrice: '$1.25M',
          units: '24 units',
        },
      ],
    }),
    rows: BOTH,
  },
  {
    name: 'HTML table',
    file: 'list.html',
    body:
      '<!DOCTYPE html><table><tr><td>Menu</td></tr></table>' +
      '<table><tr><th>Address</th><th>City, State Zip</th><th>Price</th><th>Units</th></tr>' +
      '<tr><td>12 Ashford St</td><td>Toledo, OH 43604</td><td>$640,000</td><td>12</td></tr>' +
      '<tr><td colspan="4">Deemed reliable</td></tr></table>',
    rows: READ,
  },
  {
    name: 'PDF',
    file: 'list.pdf',
    body: '%PDF-1.7\n',
    refused: /PDF.*Ask the broker for the list as an Excel workbook/u,
  },
  { name: '.xls of Excel 97 to 2003', file: 'list.xls', body: oldBook('biff8'), rows: BOTH },
  { name: '.xls of Excel 5', file: 'list.xls', body: oldBook('biff5'), rows: BOTH },
  { name: '.xls that is the XML of Excel 2003', file: 'list.xls', body: oldBook('xlml'), rows: BOTH },
  {
    name: '.xls that is truncated',
    file: 'list.xls',
    body: oldBook('biff8').subarray(0, 2048),
    refused: /truncated or damaged.*save it as "Excel Workbook \(\.xlsx\)"/u,
  },
  {
    name: '.xls that is truncated XML',
    file: 'list.xls',
    body: oldBook('xlml').subarray(0, -20),
    refused: /its end is missing/u,
  },
  { name: '.xls that is an HTML table', file: 'list.xls', body: HTML, rows: BOTH },
  { name: '.xls that is text with tabs', file: 'list.xls', body: delimited('\t'), rows: BOTH },
  { name: 'UTF-16', file: 'list.txt', body: utf16(delimited('\t')), rows: BOTH },
  {
    name: 'odd headings',
    file: 'list.csv',
    body: 'Where,Municipality,St,Post code,Ask,Doors\n12 Ashford St,Toledo,OH,43604,640000,12',
    refused: /no heading for price, city, street in line 1.*\{"Ask":"list_price",.*"Where":"street","Doors":"units"\}/u,
  },
  {
    name: 'odd headings with the map of the message',
    file: 'list.csv',
    columns: { Ask: 'list_price', Municipality: 'city', Where: 'street', Doors: 'units' },
    body: 'Where,Municipality,St,Post code,Ask,Doors\n12 Ashford St,Toledo,OH,43604,640000,12',
    rows: READ,
  },
  {
    name: 'two price columns',
    file: 'list.csv',
    body: 'Address,City,State,ZIP,Price,Asking Price,Units\n12 Ashford St,Toledo,OH,43604,600000,640000,12',
    refused: /"Price" and "Asking Price" both mean list_price.*\{"Price":"list_price","Asking Price":null\}/u,
  },
  {
    name: 'byte order mark and footer',
    file: 'list.csv',
    body: `\ufeff${CLEAN}\nInformation deemed reliable but not guaranteed\n"2 listings",,,,,\nTotal,,,,1890000,36\n`,
    rows: BOTH,
  },
];
