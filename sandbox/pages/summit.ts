/**
 * Summit County's newspaper: the notice of delinquent taxes, a page per city or township. Bullets separate the entries;
 * nothing separates owner and legal description.
 */
import { page, respond, type SandboxRequest, type SandboxResponse } from '../http.ts';
import type { WorldDay } from '../world/world.ts';
import { escapeHtml, fullDollars, htmlPage } from './html.ts';

const INDEX = '/notices/delinquent_taxes';
const DETAIL = '/notices/delinquent_taxes_detail';
/** Number of the first section's page. */
const FIRST = 411;

const footer =
  '<div class="footer">Home &middot; Public Notices &middot; Subscribe<br>' +
  'Copyright The Akron Legal News (sandbox copy)</div>';

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
  const body = [
    `<h1>${escapeHtml(section.toUpperCase())}</h1>`,
    '<p>Notice is hereby given of the lands on which taxes remain unpaid.</p>',
    `<div class="notice">&bull; ${entries.join(' &bull; ')}</div>`,
    footer,
  ].join('\n');
  return page(htmlPage(`Delinquent Taxes: ${section}`, body));
}
