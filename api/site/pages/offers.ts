/** The offers as tiles with their prices. */
import type { z } from 'zod';
import { PRICES } from '../../routes/prices.ts';
import type { Meta } from '../../routes/meta/schema.ts';
import { count } from '../format.ts';
import { html, type Html, type Piece } from '../html.ts';

interface Offer {
  readonly path: keyof typeof PRICES;
  readonly title: Piece;
  readonly about: string;
  readonly href?: string;
}

const offerList = (meta: z.infer<typeof Meta>): readonly Offer[] => [
  {
    path: '/api/deals',
    title: html`${count(meta.coverage.active_records)} deals`,
    about: 'A list of up to 500: underwriting, gap to the claim, scores with reasons.',
  },
  {
    path: '/api/deals/:id/report',
    title: 'A report on one deal',
    about: 'Offer range, three paths, what-ifs, a formula for every figure.',
    href: '/report',
  },
  {
    path: '/api/lookup',
    title: 'Any address',
    about: 'Its public records: tax debt, sales, code cases, liens.',
  },
  {
    path: '/api/signals',
    title: html`${count(meta.signals_feed.coverage.total_signals)} signals of distress`,
    about: 'Tax debts, foreclosure filings, liens, code cases, vacant buildings.',
  },
  {
    path: '/api/auctions',
    title: html`${count(meta.auctions_feed.coverage.upcoming_sales)} upcoming sales`,
    about: 'Sheriff, foreclosure and tax sales with opening bids and appraisals.',
  },
  {
    path: '/api/leads',
    title: html`${count(meta.leads_feed.coverage.available_leads)} leads`,
    about: 'Owners with a reason to sell, scored, with the parts of the score.',
  },
  {
    path: '/api/owners',
    title: 'Owners',
    about: 'Owners with several properties in distress.',
  },
  {
    path: '/api/filings',
    title: 'New businesses',
    about: 'Registrations of Ohio and Colorado, with their agents.',
  },
];

export const offers = (meta: z.infer<typeof Meta>): Html =>
  html`<h2>Prices</h2>
    <ul class="tiles offers">
      ${offerList(meta).map(
        ({ path, title, about, href }) =>
          html`<li>
            <a class="tile" href="${href ?? `/build?call=${path}`}"
              ><span class="price">$${PRICES[path]}</span><b>${title}</b><span>${about}</span></a
            >
          </li>`,
      )}
    </ul>
    <p><a href="/prices">All prices, and responses without a charge</a></p>`;
