/** What-ifs of a report: debt coverage and cap rate for other rents, vacancies, expenses and loan rates. */
import { html, type Html } from '../../html.ts';
import { wideTable } from '../../layout.ts';
import { dollarsText, percentText, shareText } from '../../format.ts';
import type { ReportBody } from './report.ts';
import { RELIABILITIES } from './words.ts';

type Cell = ReportBody['sensitivity']['cells'][number];

const unique = (values: readonly string[]): string[] => [...new Set(values)];

/** Color of a debt coverage: enough for lenders, enough for the debt, or neither. */
const toneOf = (dscr: number, minCoverage: number): string =>
  dscr >= minCoverage ? 'good' : dscr >= 1 ? 'thin' : 'bad';

/** The debt at each rate over each number of years. */
function loanTable({ sensitivity: s }: ReportBody): Html {
  const years = unique(s.loans.map((loan) => loan.years));
  const rates = unique(s.loans.map((loan) => loan.rate_pct));
  const loanAt = (rate: string, term: string) => s.loans.find((loan) => loan.rate_pct === rate && loan.years === term);
  return html`<table class="grid">
    <caption>
      Debt service per year, with the debt coverage of the underwritten income. Columns: years of amortization.
    </caption>
    <thead>
      <tr>
        <th scope="col">Loan rate</th>
        ${years.map((term) => html`<th scope="col">${term} years</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rates.map(
        (rate) =>
          html`<tr>
            <th scope="row">${percentText(Number(rate))}</th>
            ${years.map((term) => {
              const loan = loanAt(rate, term);
              return html`<td>
                ${loan && dollarsText(Number(loan.annual_debt_service))}<span class="sub">${loan?.dscr ?? ''}</span>
              </td>`;
            })}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

export function sensitivity(report: ReportBody): Html {
  const { sensitivity: s, assumptions, paths, deal, debt_terms: debt } = report;
  if (s.status !== 'computed')
    return html`<h2 id="what-if">What if</h2>
      <p>There is no grid, because the property could not be underwritten.</p>`;
  const minCoverage = Number(
    paths.rental.thresholds['hot_coverage'] ?? assumptions.values['rental_hot_coverage'] ?? 1.25,
  );
  const [baseVacancy, baseRate] = [Number(deal.vacancy_pct), debt.bank.rate_pct];
  const vacancies = unique(s.cells.map((c) => c.vacancy));
  const rents = unique(s.cells.map((c) => c.rent_change));
  const expenses = unique(s.cells.map((c) => c.expense_change));
  const cellAt = (rent: string, expense: string, vacancy: string): Cell | undefined =>
    s.cells.find((c) => c.rent_change === rent && c.expense_change === expense && c.vacancy === vacancy);
  const isBase = (rent: string, expense: string, vacancy: string): boolean =>
    Number(rent) === 0 &&
    Number(expense) === 0 &&
    Math.round(Number(vacancy) * 10_000) === Math.round(baseVacancy * 100);
  const lines = rents.flatMap((rent) => expenses.map((expense) => ({ rent, expense })));
  const rowHead = (rent: string, expense: string): Html =>
    html`<th scope="row">rent ${shareText(rent, true)}, expenses ${shareText(expense, true)}</th>`;

  const coverage = html`<table class="grid">
    <caption>
      Debt coverage. Columns: vacancy, then loan rate. The outlined cell is the base case.
    </caption>
    <thead>
      <tr>
        <th scope="col" rowspan="2">Rent and expense ratio</th>
        ${vacancies.map((v) => html`<th scope="colgroup" colspan="${s.rates.length}">vacancy ${shareText(v)}</th>`)}
      </tr>
      <tr>
        ${vacancies.map(() => s.rates.map((r) => html`<th scope="col">${percentText(Number(r.rate_pct))}</th>`))}
      </tr>
    </thead>
    <tbody>
      ${lines.map(
        ({ rent, expense }) =>
          html`<tr>
            ${rowHead(rent, expense)}${vacancies.map((vacancy) =>
              (cellAt(rent, expense, vacancy)?.dscr ?? []).map((dscr, i) => {
                const base = isBase(rent, expense, vacancy) && Number(s.rates[i]?.rate_pct) === Number(baseRate);
                return html`<td class="${toneOf(Number(dscr), minCoverage)}${base ? ' base' : ''}">
                  ${dscr}${base && html`<span class="sr"> base case</span>`}
                </td>`;
              }),
            )}
          </tr>`,
      )}
    </tbody>
  </table>`;
  const caps = html`<table class="grid">
    <caption>
      Cap rate and net operating income. Columns: vacancy.
    </caption>
    <thead>
      <tr>
        <th scope="col">Rent and expense ratio</th>
        ${vacancies.map((v) => html`<th scope="col">vacancy ${shareText(v)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${lines.map(
        ({ rent, expense }) =>
          html`<tr>
            ${rowHead(rent, expense)}${vacancies.map((vacancy) => {
              const cell = cellAt(rent, expense, vacancy);
              return html`<td ${isBase(rent, expense, vacancy) ? html` class="base"` : ''}>
                ${cell && percentText(Number(cell.cap_rate_pct))}<span class="sub"
                  >${cell && dollarsText(Number(cell.noi))}</span
                >
              </td>`;
            })}
          </tr>`,
      )}
    </tbody>
  </table>`;
  const hasDebt = s.cells.some((c) => c.dscr !== null);
  return html`<h2 id="what-if">What if</h2>
    <p>
      The underwriting for other rents, vacancies, expense ratios and loan rates.
      ${s.reliability === 'ok' ? '' : html`<strong>Read it with care: ${RELIABILITIES[s.reliability]}.</strong>`}
    </p>
    ${
      hasDebt
        ? html`<ul class="legend">
              <li><span class="key key-good"></span>${minCoverage.toFixed(2)} or more: what lenders require</li>
              <li><span class="key key-thin"></span>1.00 or more: covers its debt</li>
              <li><span class="key key-bad"></span>below 1.00: does not cover its debt</li>
            </ul>
            ${wideTable('Debt coverage for other rents, vacancies, expenses and rates', coverage)}`
        : html`<p>Debt coverage does not apply: the declared loan is below what lenders offer.</p>`
    }
    <details>
      <summary>Cap rate and income</summary>
      ${wideTable('Cap rate and income for other rents, vacancies and expenses', caps)}
    </details>
    ${
      hasDebt &&
      html`<details>
        <summary>Debt over 20, 25 and 30 years</summary>
        ${wideTable('Debt service and coverage by rate and years', loanTable(report))}
      </details>`
    }`;
}
