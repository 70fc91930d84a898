/** What it is, in one look. */
import { html } from '../html.ts';
import { figures } from '../layout.ts';
import { count, day } from '../numbers.ts';
import type { Page } from '../page.ts';

export const home: Page = {
  path: '/', title: 'Dealfeed: small multifamily deals, underwritten and explained', made: 'snapshot',
  about: 'Small multifamily listings underwritten against HUD rents, county tax delinquencies, sheriff sales, leads and business registrations. Paid by the call, without an account.',
  content({ meta }) {
    return html`<h1>Dealfeed</h1><p>${meta.description}</p>${figures([
      { label: 'Active deals', value: count(meta.coverage.active_records) },
      { label: 'Freshest', value: day(meta.coverage.freshest_verification) },
    ])}`;
  },
};
