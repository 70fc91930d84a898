/** Figures of the county's roll in plain sentences: evidence for an offer, not part of a score. */
import type { z } from 'zod';
import { Fraction } from '../../../lib/fraction.ts';
import type { Deal } from '../../../models/marts/deals.ts';
import { exactDollars } from './dollars.ts';

type DealRow = z.infer<typeof Deal.schema>;

const SALE_BASES: Readonly<Record<NonNullable<DealRow['last_sale_basis']>, string>> = {
  market: 'a sale at market by the roll',
  not_market: 'no sale at market by the roll',
  unknown: 'the roll does not say whether at market',
};

const shareOf = (price: string, of: string): string =>
  Fraction.of(price).times(Fraction.of(100)).over(Fraction.of(of)).rounded(0);

/** Sentences on the assessed value and the last sale, if the roll has them. */
export function rollSentences(deal: DealRow): string[] {
  const { list_price: price, assessed_market_value: value, last_sale_date: day, last_sale_price: paid } = deal;
  const sentences: string[] = [];
  if (value !== null) {
    const share = price === null ? '' : `; the asking price is ${shareOf(price, value)}% of it`;
    sentences.push(`The county's roll values the parcel at ${exactDollars(value)}${share}.`);
  }
  if (deal.last_sale_basis !== null && (day !== null || paid !== null)) {
    const when = day === null ? 'on an unknown day' : `on ${day}`;
    const amount = paid === null ? 'without a price' : `for ${exactDollars(paid)}`;
    const share = price === null || paid === null ? '' : `; the asking price is ${shareOf(price, paid)}% of it`;
    sentences.push(`It was last transferred ${when} ${amount} (${SALE_BASES[deal.last_sale_basis]})${share}.`);
  }
  return sentences;
}
