/**
 * Exhibit EX-102 of form ABS-EE (17 CFR 229.1125, Schedule AL, item 2): one `assets` element for each loan, with one
 * `property` or more. Element names are the regulator's, including its spelling errors. A loan on several properties
 * has a summary row (no state) and separate assets for each property, numbered 3.01 or 3-001. The summary is staged,
 * because it has the loan and the statement; its parts are rejected.
 */
import { load } from 'cheerio/slim';
import { DAY_MS } from '../../../lib/time.ts';
import { type Candidate, type Page, Quarantine } from '../../contract.ts';
import { candidate, date, integer, money, optional, refuse, state, year, zip } from '../../values.ts';
import { BrokenXml, checkNesting } from '../../xml.ts';

/** Reasons of expected rejects: properties of other types, and parts of a loan that its summary includes. */
export const NOT_COUNTED = ['other_property_type', 'part_of_portfolio'] as const;

const MULTIFAMILY = 'MF';
const ROOT = 'assetData';

/** Days of a statement that counts as one of a full year. */
const FULL_YEAR_DAYS = { least: 350, most: 380 };

/** Texts of child elements by name. */
type Elements = Readonly<Record<string, string>>;

interface Asset {
  readonly loan: Elements;
  readonly properties: readonly Elements[];
}

interface Property {
  readonly loan: Elements;
  readonly elements: Elements;
  readonly assetNumber: string;
  /** From 1. */
  readonly position: number;
  /** Number of the loan that the asset belongs to: 3 for 3, 3.01 and 3-001. */
  readonly loanNumber: string;
}

/** @throws Quarantine if the document is truncated or not a list of assets */
function assetsIn(xml: string, pageUrl: string): Asset[] {
  try {
    checkNesting(xml);
  } catch (error) {
    if (!(error instanceof BrokenXml)) throw error;
    throw new Quarantine('malformed_page', `the exhibit is truncated or damaged: ${error.message}`, pageUrl);
  }
  const $ = load(xml, { xml: true });
  const root = $.root().children().first();
  const name = root.get(0)?.name ?? 'nothing';
  if (name !== ROOT)
    throw new Quarantine('template_changed', `the exhibit begins with <${name}>, expected <${ROOT}>`, pageUrl);
  const texts = (elements: ReturnType<typeof root.children>): Elements =>
    Object.fromEntries(elements.toArray().map((each) => [each.name, $(each).text().trim()]));
  return root
    .children('assets')
    .toArray()
    .map((asset) => ({
      loan: texts($(asset).children(':not(property)')),
      properties: $(asset)
        .children('property')
        .toArray()
        .map((property) => texts($(property).children())),
    }));
}

const loanNumberOf = (assetNumber: string): string => /^(\d+)[.-]\d+$/u.exec(assetNumber)?.[1] ?? assetNumber;

/** Texts that filers print instead of one value for several properties. */
const textOf = (value: string | undefined): string | null => {
  const text = optional(value);
  return text === null || /^(?:various|multiple|nap|nav)$/iu.test(text) ? null : text;
};

const typeOf = ({ elements }: Property): string | null => textOf(elements['propertyTypeCode']);

/** Whether a property is the summary of several: it has no place. */
const isSum = ({ elements }: Property): boolean =>
  ['City', 'State', 'Zip'].every((part) => textOf(elements[`property${part}`]) === null);

/** A day given as MM-DD-YYYY. */
function day(field: string, value: string | undefined): string | null {
  const text = textOf(value);
  if (text === null) return null;
  const match = /^(\d\d)-(\d\d)-(\d{4})$/u.exec(text);
  if (!match) return refuse('bad_date', `${field} is ${JSON.stringify(text)}, expected MM-DD-YYYY`);
  return date(field, `${match[1]}/${match[2]}/${match[3]}`);
}

/** A fraction such as ".06055000" as a percentage of so many decimals, rounded half up. Exact. */
export function parsePercent(field: string, value: string | undefined, decimals: number): string | null {
  const text = textOf(value);
  if (text === null) return null;
  const match = /^(\d*)(?:\.(\d*))?$/u.exec(text);
  const [, whole = '', fraction = ''] = match ?? [];
  const bad = (): never =>
    refuse('bad_fraction', `${field} is ${JSON.stringify(text)}, expected a fraction from 0 to 1.5`);
  if (!match || (whole === '' && fraction === '')) return bad();
  const divisor = 10n ** BigInt(fraction.length);
  const scaled = (BigInt(whole + fraction) * 10n ** BigInt(decimals + 2) * 2n + divisor) / (2n * divisor);
  const one = 10n ** BigInt(decimals + 2);
  if (scaled * 2n > one * 3n) return bad();
  const digits = String(scaled).padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Whether a statement is of a full year, by its first and last day. */
function periodOf(startsOn: string | null, endsOn: string | null): 'full_year' | 'other_period' | null {
  if (startsOn === null || endsOn === null) return null;
  const days = (Date.parse(endsOn) - Date.parse(startsOn)) / DAY_MS + 1;
  return days >= FULL_YEAR_DAYS.least && days <= FULL_YEAR_DAYS.most ? 'full_year' : 'other_period';
}

/** An amount or a coverage, with two decimals. */
const plain = (elements: Elements, name: string): string | null => money(name, textOf(elements[name]));
const whole = (elements: Elements, name: string): number | null => integer(name, textOf(elements[name]));

interface Filing {
  readonly trust: string;
  /** Last day of the reporting period, for assets that do not state it. */
  readonly reportedOn: string;
}

/** The values of a property's row. */
function parseStatement(property: Property, ofLoan: readonly Property[], filing: Filing): Record<string, unknown> {
  const { loan, elements: own, assetNumber, position } = property;
  const startsOn = day('mostRecentFinancialsStartDate', own['mostRecentFinancialsStartDate']);
  const endsOn = day('mostRecentFinancialsEndDate', own['mostRecentFinancialsEndDate']);
  const count = whole(loan, 'NumberProperties');
  const isWholeLoan = isSum(property) || (ofLoan.length === 1 && (count ?? 1) === 1);
  const terms: Elements = isWholeLoan ? loan : {};
  return {
    trust: filing.trust,
    asset_number: assetNumber,
    property_number: position,
    reported_on: filing.reportedOn,
    property_type: textOf(own['propertyTypeCode']),
    city: textOf(own['propertyCity']),
    state: state('state', textOf(own['propertyState'])),
    zip: zip('zip', textOf(own['propertyZip'])),
    units: whole(own, 'unitsBedsRoomsNumber') ?? whole(own, 'unitsBedsRoomsSecuritizationNumber'),
    year_built: year('year_built', textOf(own['yearBuiltNumber'])),
    property_count: count,
    valuation: plain(own, 'valuationSecuritizationAmount'),
    valuation_on: day('valuationSecuritizationDate', own['valuationSecuritizationDate']),
    underwritten_revenue: plain(own, 'revenueSecuritizationAmount'),
    underwritten_expenses: plain(own, 'operatingExpensesSecuritizationAmount'),
    underwritten_noi: plain(own, 'netOperatingIncomeSecuritizationAmount'),
    underwritten_ncf: plain(own, 'netCashFlowFlowSecuritizationAmount'),
    underwritten_occupancy_pct: parsePercent('occupancy', own['physicalOccupancySecuritizationPercentage'], 2),
    underwritten_coverage: plain(own, 'debtServiceCoverageNetCashFlowSecuritizationPercentage'),
    recent_revenue: plain(own, 'mostRecentRevenueAmount'),
    recent_expenses: plain(own, 'operatingExpensesAmount'),
    recent_noi: plain(own, 'mostRecentNetOperatingIncomeAmount'),
    recent_ncf: plain(own, 'mostRecentNetCashFlowAmount'),
    recent_starts_on: startsOn,
    recent_ends_on: endsOn,
    recent_period: periodOf(startsOn, endsOn),
    recent_occupancy_pct: parsePercent('occupancy', own['mostRecentPhysicalOccupancyPercentage'], 2),
    recent_coverage: plain(own, 'mostRecentDebtServiceCoverageNetCashFlowpercentage'),
    loan_amount: plain(terms, 'originalLoanAmount'),
    interest_rate_pct: parsePercent('originalInterestRatePercentage', terms['originalInterestRatePercentage'], 6),
    amortization_months: whole(terms, 'originalAmortizationTermNumber'),
    interest_only_months: whole(terms, 'originalInterestOnlyTermNumber'),
    accrual_method: textOf(terms['interestAccrualMethodCode']),
  };
}

/** Refuse a property that is not a multifamily building, or that the summary of its loan includes. */
function checkCounted(property: Property, ofLoan: readonly Property[]): void {
  const type = typeOf(property);
  if (type === null) refuse('blank_property_type', 'the property has no propertyTypeCode');
  if (type !== MULTIFAMILY) refuse(NOT_COUNTED[0], `propertyTypeCode is ${JSON.stringify(type)}, expected MF`);
  if (ofLoan.every(({ assetNumber }) => assetNumber !== property.loanNumber))
    refuse(
      'part_without_loan',
      `asset ${property.assetNumber} is part of asset ${property.loanNumber}, which the filing does not have`,
    );
  const sum = ofLoan.find(isSum);
  if (!sum || sum === property || (typeOf(sum) ?? MULTIFAMILY) !== MULTIFAMILY) return;
  refuse(
    NOT_COUNTED[1],
    `asset ${property.assetNumber} is part of asset ${sum.assetNumber}, whose figures are the sum of its properties`,
  );
}

/** The multifamily properties of an exhibit, as rows of loan_statement. */
export function statementsIn(xml: string, page: Page, trust: string): Candidate[] {
  const assets = assetsIn(xml, page.url);
  const properties = assets.flatMap(({ loan, properties: found }) =>
    found.map((elements, at): Property => {
      const assetNumber = loan['assetNumber'] ?? '';
      return { loan, elements, assetNumber, position: at + 1, loanNumber: loanNumberOf(assetNumber) };
    }),
  );
  if (properties.length === 0)
    throw new Quarantine('empty_body', `the exhibit has ${assets.length} assets and no property`, page.url);
  for (const name of ['propertyTypeCode', 'revenueSecuritizationAmount', 'netCashFlowFlowSecuritizationAmount'])
    if (properties.every(({ elements }) => elements[name] === undefined))
      throw new Quarantine('template_changed', `no property of the exhibit has the element ${name}`, page.url);
  const ofFiling = assets.map(({ loan }) => loan['reportingPeriodEndDate']).find((on) => on !== undefined);
  const byLoan = Map.groupBy(properties, ({ loanNumber }) => loanNumber);
  return properties.map((property) => {
    const ofLoan = byLoan.get(property.loanNumber) ?? [property];
    return candidate(
      () => JSON.stringify({ ...property.loan, property: property.elements }),
      () => {
        if (property.assetNumber === '') refuse('blank_asset_number', 'the asset has no assetNumber');
        checkCounted(property, ofLoan);
        const reportedOn = day('reportingPeriodEndDate', property.loan['reportingPeriodEndDate'] ?? ofFiling);
        if (reportedOn === null) return refuse('blank_date', 'no asset of the filing has a reportingPeriodEndDate');
        return { values: parseStatement(property, ofLoan, { trust, reportedOn }) };
      },
    );
  });
}
