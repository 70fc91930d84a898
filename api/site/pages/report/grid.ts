/** What-ifs of a report: debt coverage and cap rate for other rents, vacancies, expenses and loan rates. */
import { html, type Html, type Piece } from '../../html.ts';
import { wideTable } from '../../layout.ts';
import { dollarsText, percentText, shareText } from '../../format.ts';
import type { ReportBody } from '../../../routes/report/report.ts';
import { RELIABILITIES } from './words.ts';

type Cell = ReportBody['sensitivity']['cells'][number];

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** Color of a debt coverage: enough for lenders, enough for the debt, or neither. */
const toneOf = (dscr: number, minCoverage: number): string =>
  dscr >= minCoverage ? 'good' : dscr >= 1 ? 'thin' : 'bad';

/** A table with a head of one or two rows, and a header before the cells of each line. */
const gridTable = (caption: string, head: Piece, lines: readonly (readonly [header: Piece, cells: Piece])[]): Html =>
  html`<table class="grid">
    <caption>
      ${caption}
    </caption>
    <thead>
      ${head}
    </thead>
    <tbody>
      ${lines.map(
        ([header, cells]) =>
          html`<tr>
            <th scope="row">${header}</th>
            ${cells}
          </tr>`,
      )}
    </tbody>
  </table>`;

const headRow = (labels: readonly string[]): Html =>
  html`<tr>
    ${labels.map((label) => html`<th scope="col">${label}</th>`)}
  </tr>`;

/** The debt at each rate over each number of years. */
function loanTable({ sensitivity: { loans } }: ReportBody): Html {
  const years = unique(loans.map((loan) => loan.years));
  return gridTable(
    'Debt service per year, with the debt coverage of the underwritten income. Columns: years of amortization.',
    headRow(['Loan rate', ...years.map((term) => `${term} years`)]),
    unique(loans.map((loan) => loan.rate_pct)).map((rate) => [
      percentText(Number(rate)),
      years.map((term) => {
        const loan = loans.find((one) => one.rate_pct === rate && one.years === term);
        return html`<td>
          ${loan && dollarsText(Number(loan.annual_debt_service))}<span class="sub">${loan?.dscr ?? ''}</span>
        </td>`;
      }),
    ]),
  );
}

/** The grid of a report, as its tables read it. */
interface Grid {
  readonly rates: readonly string[];
  readonly vacancies: readonly string[];
  /** Rows: a change of the rent and one of the expense ratio. */
  readonly lines: readonly { readonly rent: string; readonly expense: string }[];
  /** Debt coverage that lenders require. */
  readonly minCoverage: number;
  cellAt(line: Grid['lines'][number], vacancy: string): Cell | undefined;
  /** Whether a cell has the figures of the underwriting; with a rate, also its loan rate. */
  isBase(line: Grid['lines'][number], vacancy: string, rate?: string): boolean;
}

function readGrid({ sensitivity: { cells, rates }, assumptions, paths, deal, debt_terms: debt }: ReportBody): Grid {
  const thresholds = paths.rental.thresholds;
  const baseVacancy = Math.round(Number(deal.vacancy_pct) * 100);
  const baseRate = Number(debt.bank.rate_pct);
  const rents = unique(cells.map((cell) => cell.rent_change));
  const expenses = unique(cells.map((cell) => cell.expense_change));
  return {
    rates: rates.map((rate) => rate.rate_pct),
    vacancies: unique(cells.map((cell) => cell.vacancy)),
    lines: rents.flatMap((rent) => expenses.map((expense) => ({ rent, expense }))),
    minCoverage: Number(thresholds['hot_coverage'] ?? assumptions.values['rental_hot_coverage'] ?? 1.25),
    cellAt: ({ rent, expense }, vacancy) =>
      cells.find((cell) => cell.rent_change === rent && cell.expense_change === expense && cell.vacancy === vacancy),
    isBase: ({ rent, expense }, vacancy, rate) =>
      Number(rent) === 0 &&
      Number(expense) === 0 &&
      Math.round(Number(vacancy) * 10_000) === baseVacancy &&
      (rate === undefined || Number(rate) === baseRate),
  };
}

const lineText = ({ rent, expense }: Grid['lines'][number]): string =>
  `rent ${shareText(rent, true)}, expenses ${shareText(expense, true)}`;

const vacancyText = (vacancy: string): string => `vacancy ${shareText(vacancy)}`;

/** Debt coverage for each line, vacancy and loan rate. */
function coverageTable({ rates, vacancies, lines, minCoverage, cellAt, isBase }: Grid): Html {
  const coverageCell = (dscr: string, isBaseCase: boolean): Html =>
    html`<td class="${toneOf(Number(dscr), minCoverage)}${isBaseCase ? ' base' : ''}">
      ${dscr}${isBaseCase && html`<span class="sr"> base case</span>`}
    </td>`;
  return gridTable(
    'Debt coverage. Columns: vacancy, then loan rate. The outlined cell is the base case.',
    html`<tr>
        <th scope="col" rowspan="2">Rent and expense ratio</th>
        ${vacancies.map((vacancy) => html`<th scope="colgroup" colspan="${rates.length}">${vacancyText(vacancy)}</th>`)}
      </tr>
      ${headRow(vacancies.flatMap(() => rates.map((rate) => percentText(Number(rate)))))}`,
    lines.map((line) => [
      lineText(line),
      vacancies.map((vacancy) =>
        (cellAt(line, vacancy)?.dscr ?? []).map((dscr, i) => coverageCell(dscr, isBase(line, vacancy, rates[i] ?? ''))),
      ),
    ]),
  );
}

/** Cap rate and income for each line and vacancy. */
const capTable = ({ vacancies, lines, cellAt, isBase }: Grid): Html =>
  gridTable(
    'Cap rate and net operating income. Columns: vacancy.',
    headRow(['Rent and expense ratio', ...vacancies.map(vacancyText)]),
    lines.map((line) => [
      lineText(line),
      vacancies.map((vacancy) => {
        const cell = cellAt(line, vacancy);
        return html`<td ${isBase(line, vacancy) ? html` class="base"` : ''}>
          ${cell && percentText(Number(cell.cap_rate_pct))}<span class="sub"
            >${cell && dollarsText(Number(cell.noi))}</span
          >
        </td>`;
      }),
    ]),
  );

export function sensitivity(report: ReportBody): Html {
  const { cells, reliability, status } = report.sensitivity;
  if (status !== 'computed')
    return html`<h2 id="what-if">What if</h2>
      <p>There is no grid, because the property could not be underwritten.</p>`;
  const grid = readGrid(report);
  const hasDebt = cells.some((cell) => cell.dscr !== null);
  return html`<h2 id="what-if">What if</h2>
    <p>
      The underwriting for other rents, vacancies, expense ratios and loan rates.
      ${reliability === 'ok' ? '' : html`<strong>Read it with care: ${RELIABILITIES[reliability]}.</strong>`}
    </p>
    ${
      hasDebt
        ? html`<ul class="legend">
              <li><span class="key key-good"></span>${grid.minCoverage.toFixed(2)} or more: what lenders require</li>
              <li><span class="key key-thin"></span>1.00 or more: covers a new loan</li>
              <li><span class="key key-bad"></span>below 1.00: does not cover it</li>
            </ul>
            ${wideTable('Debt coverage for other rents, vacancies, expenses and rates', coverageTable(grid))}`
        : html`<p>Debt coverage does not apply: the declared loan is below what lenders offer.</p>`
    }
    <details>
      <summary>Cap rate and income</summary>
      ${wideTable('Cap rate and income for other rents, vacancies and expenses', capTable(grid))}
    </details>
    ${
      hasDebt &&
      html`<details>
        <summary>Debt over 20, 25 and 30 years</summary>
        ${wideTable('Debt service and coverage by rate and years', loanTable(report))}
      </details>`
    }`;
}
