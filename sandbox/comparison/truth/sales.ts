/** Sheriff sales as the counties' pages show them on the days on which they were read. */
import { addDays } from '../../../sources/days.ts';
import type { AuctionOnDay, Day } from '../../world/types.ts';
import { spellStreet } from '../../world/streets.ts';
import { parcelKey } from './parcels.ts';
import type { SourceReads, Truth } from './truth.ts';

/** Sales are read from a week back to seventy-five days ahead. */
const DAYS_BACK = 7;
const DAYS_AHEAD = 75;

/** The source of a county's auction site. Stark's own page shows less, and only upcoming sales. */
export const auctionSite = (truth: Truth, countyFips: string): SourceReads | undefined =>
  [...truth.sources.values()].find(
    ({ source, family, countyFips: of }) => family === 'sheriff' && of === countyFips && !source.endsWith('_page'),
  );

/** Stark's own page, which states the defendant. */
export const countyPage = (truth: Truth, countyFips: string): SourceReads | undefined =>
  [...truth.sources.values()].find(
    ({ source, family, countyFips: of }) => family === 'sheriff' && of === countyFips && source.endsWith('_page'),
  );

/** First sale day that a read of a day shows. */
export const firstSaleDay = (readOn: Day): Day => addDays(readOn, -DAYS_BACK);

/** Sales of a county on its auction site on a day. */
export const salesShown = (truth: Truth, countyFips: string, readOn: Day): AuctionOnDay[] =>
  truth
    .on(readOn)
    .auctions.filter(
      (sale) =>
        sale.countyFips === countyFips &&
        sale.saleDate >= firstSaleDay(readOn) &&
        sale.saleDate <= addDays(readOn, DAYS_AHEAD),
    );

export const saleKey = (sale: AuctionOnDay): string =>
  [sale.countyFips, sale.caseNumber, parcelKey(sale.countyFips, sale.parcel), sale.saleDate].join(' ');

/** Round as the auction site states it: only a mortgage sale is called a first or a second one (ORC 2329.52). */
export const statedRound = ({ kind, round }: AuctionOnDay): 1 | 2 | null =>
  kind === 'mortgage_foreclosure' ? round : null;

/** Address as the sheriffs print it. */
export function saleAddress(
  { world }: Truth,
  sale: AuctionOnDay,
): {
  street: string;
  city: string;
  zip: string;
} {
  const property = world.properties.get(sale.propertyId);
  if (property === undefined) throw new Error(`the world has no property ${sale.propertyId}`);
  const { address, city, zip } = property;
  return { street: spellStreet(address, 'upper_words'), city: city.toUpperCase(), zip };
}

/** Properties with a sale on the county's site on a day. */
export const propertiesAtSale = (truth: Truth, countyFips: string, readOn: Day): ReadonlySet<string> =>
  new Set(salesShown(truth, countyFips, readOn).map(({ propertyId }) => propertyId));
