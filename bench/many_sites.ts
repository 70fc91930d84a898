/** Many sites of one kind: counties of the sheriff-sale platform, each on a host of its own, as the crawl of a whole state has them. */
import { realAuction } from '../sources/families/realauction/adapter.ts';
import type { SourceSpec } from '../sources/contract.ts';

/** The sandbox's county whose pages they all show. */
export const SHOWN_HOST = 'franklin.sheriffsaleauction.ohio.gov';

const name = (i: number): string => `County ${String(i + 1).padStart(2, '0')}`;

export const manySites = (count: number): SourceSpec[] =>
  Array.from({ length: count }, (_, i) =>
    realAuction({
      county: name(i),
      fips: `39${String(2 * i + 1).padStart(3, '0')}`,
      host: `${name(i).toLowerCase().replace(' ', '-')}.sheriffsaleauction.ohio.gov`,
    }),
  );
