/** Exhibits EX-102 of form ABS-EE with made-up loans, in the regulator's spelling of element names. */
import { usDay } from '../../sources/days.ts';
import { Draw } from '../world/random.ts';

/** Element names with their texts, in order. */
type Elements = readonly (readonly [name: string, text: string | number])[];

const xmlOf = (elements: Elements, indent: string): string =>
  elements.map(([name, text]) => `${indent}<${name}>${text}</${name}>\n`).join('');

const day = (date: string): string => usDay(date).replaceAll('/', '-');
const cents = (amount: number): string => amount.toFixed(2);

/** A made-up building. Amounts are dollars a year. */
interface Building {
  readonly name: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly type: 'MF' | 'RT';
  readonly units: number;
  readonly built: number;
}

interface Figures {
  readonly revenue: number;
  readonly expenses: number;
  readonly ncf: number;
  readonly value: number;
}

/** Figures of a building as underwritten. */
function figuresOf(draw: Draw, { units }: Building): Figures {
  const revenue = units * draw.int(9_000, 15_000);
  const expenses = Math.round((revenue * draw.int(38, 52)) / 100);
  const noi = revenue - expenses;
  return { revenue, expenses, ncf: noi - 300 * units, value: Math.round((noi * 100) / draw.int(54, 68)) * 10 };
}

const sum = (all: readonly Figures[]): Figures =>
  all.reduce((a, b) => ({
    revenue: a.revenue + b.revenue,
    expenses: a.expenses + b.expenses,
    ncf: a.ncf + b.ncf,
    value: a.value + b.value,
  }));

const placeOf = ({ city, state, zip }: Building): Elements => [
  ['propertyAddress', '1 Made-up Street'],
  ['propertyCity', city],
  ['propertyState', state],
  ['propertyZip', zip],
];

const sizeOf = (units: number): Elements => [
  ['unitsBedsRoomsNumber', units],
  ['unitsBedsRoomsSecuritizationNumber', units],
];

/** The statement of a year, and the same underwritten. The most recent one is of `months` months. */
function renderStatement({ revenue, expenses, ncf, value }: Figures, endsOn: string, months: 3 | 12): Elements {
  const part = (amount: number): string => cents((amount * months) / 12);
  const startsOn = months === 12 ? `${Number(endsOn.slice(0, 4)) - 1}-07-01` : `${endsOn.slice(0, 4)}-04-01`;
  return [
    ['valuationSecuritizationAmount', cents(value)],
    ['valuationSecuritizationDate', '06-15-2025'],
    ['physicalOccupancySecuritizationPercentage', '0.95'],
    ['mostRecentPhysicalOccupancyPercentage', '0.94'],
    ['mostRecentFinancialsStartDate', day(startsOn)],
    ['mostRecentFinancialsEndDate', day(endsOn)],
    ['revenueSecuritizationAmount', cents(revenue)],
    ['mostRecentRevenueAmount', part(revenue)],
    ['operatingExpensesSecuritizationAmount', cents(expenses)],
    ['operatingExpensesAmount', part(expenses)],
    ['netOperatingIncomeSecuritizationAmount', cents(revenue - expenses)],
    ['mostRecentNetOperatingIncomeAmount', part(revenue - expenses)],
    ['netCashFlowFlowSecuritizationAmount', cents(ncf)],
    ['mostRecentNetCashFlowAmount', part(ncf)],
  ];
}

interface Loan {
  readonly number: string;
  /** Buildings. With more than one, the loan has a row that sums them up and assets of its own for each. */
  readonly buildings: readonly Building[];
  readonly amortizes: boolean;
  readonly months: 3 | 12;
  /** How the assets of the buildings are numbered after the loan: ".01" or "-001". */
  readonly parts: '.01' | '-001';
}

/** Debt service of a year: interest only by actual/360, or 360 monthly payments. */
function debtService(amount: number, rate: number, amortizes: boolean): number {
  const monthly = rate / 12;
  return amortizes ? (12 * amount * monthly) / (1 - (1 + monthly) ** -360) : (amount * rate * 365) / 360;
}

const asset = (number: string, loan: Elements, property: Elements): string =>
  ' <assets>\n' +
  xmlOf([['assetTypeNumber', 'Prospectus Loan ID'], ['assetNumber', number], ...loan], '  ') +
  `  <property>\n${xmlOf(property, '   ')}  </property>\n </assets>\n`;

/** Assets of one loan. */
function renderAssets(draw: Draw, loan: Loan, reportedOn: string): string {
  const figures = loan.buildings.map((building) => figuresOf(draw, building));
  const all = sum(figures);
  const amount = Math.round((all.value * 0.62) / 1000) * 1000;
  const rate = draw.int(5600, 6700) / 100_000;
  const coverage = cents(all.ncf / debtService(amount, rate, loan.amortizes));
  const terms: Elements = [
    ['reportingPeriodEndDate', day(reportedOn)],
    ['originalLoanAmount', cents(amount)],
    ['originalAmortizationTermNumber', loan.amortizes ? 360 : 0],
    ['originalInterestRatePercentage', rate.toFixed(8).replace(/^0/u, '')],
    ['interestAccrualMethodCode', 3],
    ['originalInterestOnlyTermNumber', loan.amortizes ? 0 : 60],
    ['NumberProperties', loan.buildings.length],
  ];
  const statement = (of: Figures): Elements => [
    ...renderStatement(of, '2026-06-30', loan.months),
    ['debtServiceCoverageNetCashFlowSecuritizationPercentage', coverage],
    ['mostRecentDebtServiceCoverageNetCashFlowpercentage', coverage],
  ];
  const [first] = loan.buildings;
  if (!first) return '';
  if (loan.buildings.length === 1)
    return asset(loan.number, terms, [
      ['propertyName', first.name],
      ...placeOf(first),
      ['propertyTypeCode', first.type],
      ...sizeOf(first.units),
      ['yearBuiltNumber', first.built],
      ...statement(all),
    ]);
  const units = loan.buildings.reduce((total, building) => total + building.units, 0);
  const whole: Elements = [
    ['propertyName', 'Made-up Portfolio'],
    ['propertyTypeCode', first.type],
    ...sizeOf(units),
    ...statement(all),
  ];
  const parts = loan.buildings.map((building, at) =>
    asset(
      `${loan.number}${loan.parts.slice(0, -1)}${at + 1}`,
      [],
      [
        ['propertyName', building.name],
        ...placeOf(building),
        ['propertyTypeCode', building.type],
        ...sizeOf(building.units),
        ['yearBuiltNumber', building.built],
        ['valuationSecuritizationAmount', cents(figures[at]?.value ?? 0)],
      ],
    ),
  );
  return asset(loan.number, terms, whole) + parts.join('');
}

const building = (place: string, type: 'MF' | 'RT', units: number, built: number): Building => {
  const [name = '', city = '', state = '', zip = ''] = place.split('|');
  return { name, city, state, zip, type, units, built };
};

const madeUpLoan = (number: string, buildings: readonly Building[], amortizes: boolean, months: 3 | 12 = 12): Loan => ({
  number,
  buildings,
  amortizes,
  months,
  parts: Number(number) < 4 ? '.01' : '-001',
});

/** The loans of the sandbox's two trusts, by position. */
const LOANS: readonly (readonly Loan[])[] = [
  [
    madeUpLoan('1', [building('Made-up Mall|Akron|OH|44301', 'RT', 1, 1998)], false),
    madeUpLoan('2', [building('Made-up Court|Cleveland|OH|44102', 'MF', 48, 1964)], true),
    madeUpLoan(
      '3',
      [
        building('Made-up East|Dayton|OH|45403', 'MF', 60, 1971),
        building('Made-up West|Dayton|OH|45417', 'MF', 36, 1958),
      ],
      false,
    ),
  ],
  [
    madeUpLoan('4', [building('Made-up Towers|Memphis|TN|38104', 'MF', 120, 1985)], false, 3),
    madeUpLoan(
      '5',
      [
        building('Made-up North|Atlanta|GA|30310', 'MF', 90, 2004),
        building('Made-up South|Atlanta|GA|30315', 'MF', 84, 2001),
      ],
      true,
    ),
  ],
];

/** The exhibit of a trust for one reporting period. @param trust 0 or 1 */
export function exhibit(seed: number, trust: number, reportedOn: string): string {
  const assets = (LOANS[trust] ?? []).map((loan) =>
    renderAssets(new Draw(seed, 'loan', loan.number), loan, reportedOn),
  );
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<assetData xmlns="http://www.sec.gov/edgar/document/absee/cmbs/assetdata" ' +
    `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" >\n${assets.join('')}</assetData>\n`
  );
}
