/**
 * Lists as portals and MLSs export them, one for each layout. All values are invented. The headings of Crexi, CoStar,
 * Matrix, Flexmls, BrokerMetrics and Redfin are those of recorded exports, some columns left out; LoopNet has no export
 * of its own, so its list is what people copy from its pages.
 */
import type { Layout } from './listing_layouts.ts';
import { zipOf } from './recorded.ts';

const READ = ['12 Ashford St | Toledo | OH | 43604 | 640000.00 | 12 | for_sale'];
const WITHOUT_UNITS = ['12 Ashford St | Toledo | OH | 43604 | 640000.00 |  | for_sale'];

const TOLEDO = { City: 'Toledo', State: 'OH', Zip: '43604' };
const ASHFORD = { ...TOLEDO, Address: '12 Ashford St' };
const SALLOW = { ...TOLEDO, Address: '31 Sallow Dr', Zip: '43605' };

type Row = Readonly<Record<string, string>>;

/** The cells of a row, in the order of the headings. */
const cellsOf = (headings: readonly string[], row: Row): string[] => {
  const unknown = Object.keys(row).find((heading) => !headings.includes(heading));
  if (unknown !== undefined) throw new Error(`no heading ${unknown}`);
  return headings.map((heading) => row[heading] ?? '');
};

/** A CSV file with every cell in quotes. */
const csv = (headings: string, rows: readonly Row[]): string => {
  const names = headings.split(',');
  const cells = [names, ...rows.map((row) => cellsOf(names, row))];
  return cells.map((line) => line.map((cell) => `"${cell}"`).join(',')).join('\n');
};

const CREXI_23 =
  'Property Link,Property Name,Property Status,Type,Property Subtype,Address,City,State,Zip,County,Tenant(s),SqFt,' +
  'Year Built,Lot Size,Price/Unit,NOI,Cap Rate,Asking Price,Price/SqFt,Price/Acre,Days on Market,Longitude,Latitude';
const CREXI_24 =
  'Property Link,Property Name,Property Status,Type,Address,City,State,Zip,Tenant(s),Lease Term,Remaining Term,SqFt,' +
  'Lot Size,Units,Price/Unit,NOI,Cap Rate,Asking Price,Price/SqFt,Price/Acre,Days on Market,Opportunity Zone,' +
  'Longitude,Latitude';
const crexi = (number: number, type: string, subtype: string): Row => ({
  'Property Link': `https://portal.example/p/${number}`,
  'Property Status': 'On-Market',
  Type: type,
  'Property Subtype': subtype,
  'Tenant(s)': 'N/A',
  'Cap Rate': '0',
});
const CREXI_ROWS: readonly Row[] = [
  { ...crexi(1, 'Land', 'Commercial, Residential'), ...ASHFORD, 'Asking Price': '890000' },
  { ...crexi(2, 'Office', ''), ...ASHFORD, 'Asking Price': '890000' },
  {
    ...crexi(3, 'Multifamily', 'Apartment Building'),
    ...SALLOW,
    'Asking Price': '4500000',
    'Price/Unit': '195652',
  },
  { ...crexi(4, 'Multifamily', 'Apartment Building'), ...ASHFORD, 'Asking Price': 'Unpriced' },
];
const CREXI_READ = [
  '31 Sallow Dr | Toledo | OH | 43605 | 4500000.00 | 23 | for_sale',
  '12 Ashford St | Toledo | OH | 43604 |  |  | for_sale',
];

/** Crexi's workbook: tags with a prefix, and shared-string cells without a number. */
const CREXI_WORKBOOK = ((): Uint8Array => {
  const texts: string[] = [];
  const cellXml = (text: string): string => {
    if (text === '') return '<x:c t="s"/>';
    if (/^\d+$/u.test(text)) return `<x:c><x:v>${text}</x:v></x:c>`;
    if (!texts.includes(text)) texts.push(text);
    return `<x:c t="s"><x:v>${texts.indexOf(text)}</x:v></x:c>`;
  };
  const names = CREXI_23.split(',');
  const rows = [[''], ['4 properties found'], names, ...CREXI_ROWS.map((row) => cellsOf(names, row))];
  const sheet = rows.map((cells) => `<x:row>${cells.map(cellXml).join('')}</x:row>`).join('');
  const strings = texts.map((text) => `<x:si><x:t>${text}</x:t></x:si>`).join('');
  const part = (xml: string): Uint8Array => new TextEncoder().encode(xml);
  return zipOf({
    'xl/workbook.xml': part('<x:workbook><x:sheets><x:sheet name="Inventory" r:id="R1"/></x:sheets></x:workbook>'),
    'xl/_rels/workbook.xml.rels': part(
      '<Relationships><Relationship Id="R1" Target="/xl/worksheets/sheet1.xml"/></Relationships>',
    ),
    'xl/worksheets/sheet1.xml': part(`<x:worksheet><x:sheetData>${sheet}</x:sheetData></x:worksheet>`),
    'xl/sharedStrings.xml': part(`<x:sst>${strings}</x:sst>`),
  });
})();

const COSTAR =
  'Property Address,Property Name,Number Of Units,Star Rating,PropertyType,Secondary Type,Building Status,City,State,' +
  'Zip,Avg Asking/Unit,For Sale Price,Cap Rate,$Price/Unit,Sale Company City State Zip,Year Built,PropertyID';
const FLEXMLS =
  'List Number,Property Type,Card Format,Dwelling Type,List Date,Status,Original List Price,List Price,Sold Price,' +
  'House Number,Building Number,Compass,Street Name,Unit #,St Dir Sfx,St Suffix,City/Town Code,State/Province,' +
  'Zip Code,Year Built,Type,Zip4,On Market Date,Close of Escrow Date';
const FLEXMLS_ROW: Row = {
  'Property Type': 'Multi-Family',
  'Dwelling Type': 'Multiple Dwellings',
  'City/Town Code': 'Toledo',
  'State/Province': 'OH',
  'Zip Code': '43604',
};
const MATRIX = 'ML Number,Status,Address,City,State,Zip,Current Price,Close Price,Close Date,Original List Price';
const COMPARABLES =
  'Distance,ML Number,Status,Address,Legal Subdivision Name,Heated Area,Current Price,Close Price,Close Date';
const METRICS =
  'Listing #,Status,Status Date,Property Subtype,Street Number Name Direction,City,ZIP Code,Listing Price,DOM';
const METRICS_ROW: Row = {
  'Listing #': 'S1',
  Status: 'Active',
  'Property Subtype': 'Duplex',
  'Street Number Name Direction': '12 Ashford St',
  City: 'Toledo',
  'ZIP Code': '43604',
  'Listing Price': '640000',
};
const REDFIN =
  'SALE TYPE,SOLD DATE,PROPERTY TYPE,ADDRESS,CITY,STATE OR PROVINCE,ZIP OR POSTAL CODE,PRICE,BEDS,LOCATION,' +
  '$/SQUARE FEET,STATUS,URL (SEE https://portal.example/ FOR INFO ON PRICING),SOURCE,MLS#,LATITUDE,LONGITUDE';
const redfin = (type: string, street: string, number: string): Row => ({
  'PROPERTY TYPE': type,
  ADDRESS: street,
  CITY: 'Toledo',
  'STATE OR PROVINCE': 'OH',
  'ZIP OR POSTAL CODE': '43604',
  PRICE: '640000',
  STATUS: 'Active',
  SOURCE: 'Sample MLS',
  'MLS#': number,
});

export const PORTAL_LAYOUTS: readonly Layout[] = [
  {
    name: 'LoopNet-style',
    file: 'list.csv',
    body: csv('Property Name,Property Address,City,State,Zip,Property Type,Price,Cap Rate,No. Units,Listing ID', [
      {
        ...TOLEDO,
        'Property Address': '12 Ashford St',
        'Property Type': 'Multifamily',
        Price: '$640,000',
        'No. Units': '12',
      },
      { ...TOLEDO, 'Property Address': '1 Mall Rd', 'Property Type': 'Retail', Price: '$640,000' },
    ]),
    rows: READ,
    rejects: ['not_multifamily'],
  },
  {
    name: 'Crexi-style, 23 columns',
    file: 'inventory.csv',
    body: ['', '4 properties found', csv(CREXI_23, CREXI_ROWS)].join('\n'),
    rows: CREXI_READ,
    rejects: ['not_multifamily', 'not_multifamily'],
  },
  {
    name: 'Crexi-style, 24 columns',
    file: 'inventory.csv',
    body: csv(CREXI_24, [
      {
        ...ASHFORD,
        'Property Status': 'On-Market',
        Type: 'Multifamily',
        Units: '12',
        'Price/Unit': '53333.33',
        'Asking Price': '640000',
      },
    ]),
    rows: READ,
  },
  {
    name: 'Crexi-style workbook',
    file: 'inventory.xlsx',
    body: CREXI_WORKBOOK,
    rows: CREXI_READ,
    rejects: ['not_multifamily', 'not_multifamily'],
  },
  {
    name: 'CoStar-style',
    file: 'export.csv',
    body: csv(COSTAR, [
      {
        ...TOLEDO,
        'Property Address': '12 Ashford St',
        'Number Of Units': '12',
        PropertyType: 'Multi-Family',
        'Secondary Type': 'Apartments',
        'Building Status': 'Existing',
        'For Sale Price': '640000',
        '$Price/Unit': '53333',
        'Sale Company City State Zip': 'Akron OH 44308',
        PropertyID: '501',
      },
    ]),
    rows: READ,
  },
  {
    name: 'Matrix-style, with the place',
    file: 'export.csv',
    body: csv(MATRIX, [
      { ...ASHFORD, 'ML Number': 'M1', Status: 'ACT', 'Current Price': '640000', 'Original List Price': '650000' },
      { ...SALLOW, 'ML Number': 'M2', Status: 'SLD', 'Current Price': '85000', 'Close Date': '10/01/2026' },
    ]),
    rows: [...WITHOUT_UNITS, '31 Sallow Dr | Toledo | OH | 43605 | 85000.00 |  | sold'],
  },
  {
    name: 'Matrix-style, comparables without the place',
    file: 'export.csv',
    body: csv(COMPARABLES, [{ 'ML Number': 'M1', Address: '12 ASHFORD ST', 'Current Price': '640000' }]),
    refused: /no heading for ZIP, state, city in line 1.*Ask for the list with these columns/u,
  },
  {
    name: 'BrokerMetrics-style, without a state',
    file: 'export.csv',
    body: csv(METRICS, [METRICS_ROW]),
    refused: /no heading for state in line 1.*columns\.json.*\{"=OH": "state"\}/u,
  },
  {
    name: 'BrokerMetrics-style, with the state that the operator writes',
    file: 'export.csv',
    columns: { '=OH': 'state' },
    body: csv(METRICS, [METRICS_ROW]),
    rows: WITHOUT_UNITS,
  },
  {
    name: 'Flexmls-style',
    file: 'export.csv',
    body: csv(FLEXMLS, [
      {
        ...FLEXMLS_ROW,
        Status: 'A',
        'Original List Price': '650000.00',
        'List Price': '640000.00',
        'House Number': '12',
        'Street Name': 'Ashford',
        'St Suffix': 'St',
        'List Date': '2026-10-01',
        'On Market Date': '2026-10-02',
      },
      {
        ...FLEXMLS_ROW,
        Status: 'C',
        'List Price': '85000.00',
        'House Number': '9',
        Compass: 'N',
        'Street Name': '68TH',
        'St Suffix': 'PL',
        'St Dir Sfx': 'E',
        'Unit #': '155',
        'Close of Escrow Date': '2026-10-15',
      },
      { ...FLEXMLS_ROW, 'Dwelling Type': 'Townhouse', 'List Price': '85000.00', 'Street Name': '68TH' },
    ]),
    rows: [...WITHOUT_UNITS, '9 N 68TH PL E #155 | Toledo | OH | 43604 | 85000.00 |  | sold'],
    rejects: ['not_multifamily'],
  },
  {
    name: 'Redfin-style',
    file: 'redfin.csv',
    body: csv(REDFIN, [
      { 'SALE TYPE': 'In accordance with local MLS rules, some MLS listings are not included in the download' },
      redfin('Multi-Family (2-4 Unit)', '477 - 481 Ashford Ave', '1'),
      redfin('Single Family Residential', '170 Ashford Ave', '2'),
      redfin('Condo/Co-op', '171 Ashford Ave', '3'),
    ]),
    rows: ['477 - 481 Ashford Ave | Toledo | OH | 43604 | 640000.00 |  | for_sale'],
    rejects: ['not_multifamily', 'not_multifamily'],
  },
];
