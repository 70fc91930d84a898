/**
 * Summit County's newspaper: the notice of delinquent taxes, a page for each city and township. Entries are set one
 * after another with bullets between them; owner and legal description run together.
 */
import { page, respond, type SandboxRequest, type SandboxResponse } from '../http.ts';
import type { WorldDay } from '../world/types.ts';
import { escapeHtml, fullDollars, htmlPage } from './html.ts';

const INDEX = '/notices/delinquent_taxes';
const DETAIL = '/notices/delinquent_taxes_detail';
/** Number of the first section's page. */
const FIRST = 411;

const footer =
  '<div class="footer">Home &middot; Public Notices &middot; Subscribe<br>Copyright The Akron Legal News (sandbox copy)</div>';

const sections = (day: WorldDay): string[] => [...new Set(day.printedDebts.map(({ section }) => section))];

/** The site's pages. */
export function summitNotices(day: WorldDay, request: SandboxRequest): SandboxResponse | null {
  if (request.path === '/robots.txt') return respond('User-agent: *\nDisallow: /subscribe/\n', 'text/plain');
  if (request.path === INDEX) {
    const links = sections(day).map(
      (name, at) => `<li><a href="${DETAIL}/${FIRST + at}">${escapeHtml(name.toUpperCase())}</a></li>`,
    );
    return page(
      htmlPage('Delinquent Taxes', `<h1>Delinquent Tax Notices</h1>\n<ul>\n${links.join('\n')}\n</ul>\n${footer}`),
    );
  }
  const section = sections(day)[Number(new RegExp(`^${DETAIL}/(\\d+)$`, 'u').exec(request.path)?.[1]) - FIRST];
  if (section === undefined) return null;
  const entries = day.printedDebts
    .filter((debt) => debt.section === section)
    .map(({ parcel, amount, owner, legal }) =>
      escapeHtml(`${parcel} ${fullDollars(amount).slice(1)} ${owner} ${legal}`),
    );
  return page(
    htmlPage(
      `Delinquent Taxes: ${section}`,
      `<h1>${escapeHtml(section.toUpperCase())}</h1>\n<p>Notice is hereby given of the lands on which taxes remain unpaid.</p>\n<div class="notice">&bull; ${entries.join(' &bull; ')}</div>\n${footer}`,
    ),
  );
}
