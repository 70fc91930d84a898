/** What-ifs of a report: debt coverage and cap rate for other rents, vacancies, expenses and loan rates. */
import { fold, list, sub, wideTable } from '../../components.ts';
import { element, html, type Html, type Piece } from '../../html.ts';
import { dollarsText, percentText, shareText } from '../../format.ts';
import type { ReportBody } from '../../../routes/report.ts';
import { RELIABILITIES } from './words.ts';

type Cell = ReportBody['sensitivity']['cells'][number];

const lineOf = ({ rent_change: rent, expense_change: expense }: Cell): string =>
  `rent ${shareText(rent, true)}, expenses ${shareText(expense, true)}`;

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

type Lines = readonly (readonly [header: Piece, cells: Piece])[];

/** A table with a head of one or two rows, and a header before the cells of each line. */
function gridTable(label: string, caption: string, head: Piece, lines: Lines): Html {
  const body = lines.map(([header, cells]) => element('tr', {}, element('th', { scope: 'row' }, header), cells));
  const parts = [element('caption', {}, caption), element('thead', {}, head), element('tbody', {}, body)];
  return wideTable(label, element('table', { class: 'grid' }, parts));
}

const headRow = (labels: readonly string[]): Html =>
  element(
    'tr',
    {},
    labels.map((label) => element('th', { scope: 'col' }, label)),
  );

/** The debt at each rate over each number of years. */
function loanTable({ sensitivity: { loans } }: ReportBody): Html {
  const years = unique(loans.map((loan) => loan.years));
  return gridTable(
    'Debt service and coverage by rate and years',
    'Debt service per year, and the debt coverage of our NOI',
    headRow(['Loan rate', ...years.map((term) => `over ${term} years`)]),
    unique(loans.map((loan) => loan.rate_pct)).map((rate) => [
      percentText(Number(rate)),
      years.map((term) => {
        const loan = loans.find((one) => one.rate_pct === rate && one.years === term);
        return element('td', {}, loan && dollarsText(Number(loan.annual_debt_service)), sub(loan?.dscr));
      }),
    ]),
  );
}

/** The tables of a grid: debt coverage if there is a loan, and cap rates. @param least coverage of a Hot rental */
function tablesOf({ sensitivity: { cells, rates }, deal, debt_terms: debt }: ReportBody, least: number) {
  const vacancies = unique(cells.map((cell) => cell.vacancy));
  const vacancyHeads = vacancies.map((vacancy) => `vacancy ${shareText(vacancy)}`);
  const isBase = ({ rent_change: rent, expense_change: expense, vacancy }: Cell): boolean =>
    Number(rent) === 0 &&
    Number(expense) === 0 &&
    Math.round(Number(vacancy) * 10_000) === Math.round(Number(deal.vacancy_pct) * 100);
  const toneOf = (dscr: number): string => (dscr >= least ? 'good' : dscr >= 1 ? 'thin' : 'bad');
  /** A line of each change of rent and expenses, with what `write` makes of its cell at each vacancy. */
  const linesWith = (write: (cell: Cell) => Piece): Lines =>
    [...Map.groupBy(cells, lineOf)].map(([line, ofLine]) => [
      line,
      vacancies.map((vacancy) => {
        const cell = ofLine.find((one) => one.vacancy === vacancy);
        return cell && write(cell);
      }),
    ]);
  const groups = vacancyHeads.map((head) => element('th', { scope: 'colgroup', colspan: rates.length }, head));
  const corner = element('th', { scope: 'col', rowspan: 2 }, 'Rent and expense ratio');
  const rateHeads = vacancies.flatMap(() => rates.map((rate) => percentText(Number(rate.rate_pct))));
  return {
    coverage: gridTable(
      'Debt coverage for other rents, vacancies, expenses and rates',
      'Debt coverage by vacancy and, below it, the loan rate. The outlined cell is the underwriting.',
      [element('tr', {}, corner, groups), headRow(rateHeads)],
      linesWith((cell) =>
        (cell.dscr ?? []).map((dscr, i) => {
          const isBaseRate = isBase(cell) && Number(rates[i]?.rate_pct) === Number(debt.bank.rate_pct);
          const className = `${toneOf(Number(dscr))}${isBaseRate ? ' base' : ''}`;
          return element('td', { class: className }, dscr, isBaseRate && html`<span class="sr"> underwriting</span>`);
        }),
      ),
    ),
    caps: gridTable(
      'Cap rate and income for other rents, vacancies and expenses',
      'Cap rate and net operating income by vacancy',
      headRow(['Rent and expense ratio', ...vacancyHeads]),
      linesWith((cell) => {
        const income = sub(dollarsText(Number(cell.noi)));
        return element('td', { class: isBase(cell) && 'base' }, percentText(Number(cell.cap_rate_pct)), income);
      }),
    ),
  };
}

const legend = (least: number): Html => {
  const key = (tone: string, text: string): Html => html`<span class="key ${tone}"></span>${text}`;
  return list(
    [
      key('good', `${least.toFixed(2)} or more: what lenders require`),
      ...(least > 1 ? [key('thin', '1.00 or more: covers a new loan')] : []),
      key('bad', `below ${Math.min(least, 1).toFixed(2)}: does not cover it`),
    ],
    'legend',
  );
};

export function sensitivity(report: ReportBody): Html {
  const { cells, reliability, status } = report.sensitivity;
  if (status !== 'computed')
    return html`<h2 id="what-if">What if</h2>
      <p>There is no table, because the property could not be underwritten.</p>`;
  const { paths, assumptions } = report;
  const least = Number(paths.rental.thresholds['hot_coverage'] ?? assumptions.values['rental_hot_coverage'] ?? 1.25);
  const { coverage, caps } = tablesOf(report, least);
  const hasDebt = cells.some((cell) => cell.dscr !== null);
  return html`<h2 id="what-if">What if</h2>
    <p>
      The underwriting for other rents, vacancies, expense ratios and loan rates.
      ${reliability !== 'ok' && html`<strong>Read it with care: ${RELIABILITIES[reliability]}.</strong>`}
    </p>
    ${
      hasDebt
        ? [legend(least), coverage]
        : html`<p>Debt coverage does not apply: the declared loan is below what lenders offer.</p>`
    }
    ${fold('Cap rate and income', caps)} ${hasDebt && fold('Debt over 20, 25 and 30 years', loanTable(report))}`;
}
