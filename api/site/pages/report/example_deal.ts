/** The deal of the free example report, in short. Its report is free, so its underwriting may be shown. */
import { Problem } from '../../../http/problem.ts';
import { EXAMPLE_PATH } from '../../../routes/report/report.ts';
import { barChart } from '../../charts.ts';
import { dollars, dollarsText, percent } from '../../format.ts';
import { html, type Html } from '../../html.ts';
import type { PageContext } from '../../page.ts';
import type { ReportBody } from './report.ts';

/** Nothing if no deal has a report. */
export async function exampleDeal({ site, request }: PageContext): Promise<Html | ''> {
  const route = site.routes.find((one) => one.path === EXAMPLE_PATH);
  let report: ReportBody;
  try {
    report = (await route?.handle(request)) as ReportBody;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return '';
  }
  const { deal, property } = report;
  if (deal.noi_underwritten === null) return '';
  const [claimed, underwritten] = [Number(deal.noi ?? 0), Number(deal.noi_underwritten)];
  const isClaim = deal.noi !== null && deal.noi_source !== 'underwritten';
  return html`<section class="panel">
    <p class="eyebrow">A live example</p>
    <h2>${property}</h2>
    ${barChart({
      caption: html`Asking ${dollars(deal.list_price)}, score ${deal.deal_score} of 100. NOI per year:`,
      head: ['Source', 'Net operating income'],
      bars: [
        ...(isClaim
          ? [{ label: 'By the broker', figure: dollarsText(claimed), to: claimed, tone: 'claimed' as const }]
          : []),
        { label: 'Underwritten', figure: dollarsText(underwritten), to: underwritten, tone: 'hud' },
      ],
    })}
    <p>
      Underwritten cap rate: ${percent(deal.cap_rate_underwritten)}, with the property tax reset by the sale.
      <a href="/report">The whole report</a> has the offer range, what-ifs, and a formula for every figure.
    </p>
  </section>`;
}
