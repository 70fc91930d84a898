/** Asking prices of the made-up world: the first one, its cuts, and the income that the broker claims. */
import { LAST_DAY } from './days.ts';
import { roundPrice, yearlyNet } from './properties.ts';
import type { Draw } from './random.ts';
import type { ClaimKind, PriceKind, Property } from './types.ts';

/** First asking price, and its peculiarity. */
export function drawPrice(
  draw: Draw,
  property: Property,
): {
  price: number;
  priceKind: PriceKind;
  net: number;
} {
  const { units, rent2br } = property;
  const net = yearlyNet(units, rent2br);
  const plain = roundPrice(net / draw.bell(0.061, 0.0135, 0.039, 0.108));
  const unit = units * rent2br;
  if (units <= 4 && draw.chance(0.06))
    return { price: roundPrice(unit * draw.int(150, 260)), priceKind: 'above_proxy', net };
  if (unit * 25 < 66_000 && draw.chance(0.2))
    return { price: Math.round(draw.int(unit * 25, 66_000) / 100) * 100, priceKind: 'below_minimum_loan', net };
  if (draw.chance(0.009)) return { price: Math.round(plain / 10), priceKind: 'typo_low', net };
  return { price: plain, priceKind: draw.chance(0.05) ? 'call_for_price' : 'plain', net };
}

/** Price cuts every few weeks, and sometimes an increase. */
export function drawPrices(draw: Draw, price: number, from: number, to: number | null): [number, number][] {
  const prices: [number, number][] = [[from, price]];
  let current = price;
  for (let day = from + draw.int(12, 100); day < (to ?? LAST_DAY + 1); day += draw.int(22, 130)) {
    const factor = draw.chance(0.04) ? 1 + draw.int(1, 4) / 100 : 1 - draw.int(15, 65) / 1000;
    const next = current < 20_000 ? Math.round(current * factor) : roundPrice(current * factor);
    if (next !== current) prices.push([day, next]);
    current = next;
  }
  return prices;
}

/** Some sellers cut the price again within days. Their later prices are lower in proportion. */
export function cutAgain(draw: Draw, prices: readonly [number, number][]): [number, number][] {
  if (!draw.chance(0.08)) return [...prices];
  let factor = 1;
  const priceOf = (price: number): number => {
    if (factor === 1) return price;
    return price < 20_000 ? Math.round(price * factor) : roundPrice(price * factor);
  };
  return prices.flatMap(([day, price], at): [number, number][] => {
    const first: [number, number] = [day, priceOf(price)];
    const again = day + draw.int(1, 4);
    if (at === 0 || again >= (prices[at + 1]?.[0] ?? LAST_DAY)) return [first];
    factor *= 0.96;
    return [first, [again, priceOf(price)]];
  });
}

export function drawClaim(draw: Draw, net: number, price: number): { claim: ClaimKind; claimedNet: number } {
  const claim = draw.weighted<ClaimKind>([
    ['fair', 48],
    ['inflated', 17],
    ['modest', 8],
    ['none', 27],
  ]);
  const points = (low: number, high: number): number => Math.round((price * draw.int(low, high)) / 10_000);
  const claimedNet =
    claim === 'inflated'
      ? net + points(105, 350)
      : claim === 'modest'
        ? Math.max(Math.round(net * 0.4), net - points(105, 250))
        : Math.round((net * draw.int(96, 105)) / 100);
  return { claim, claimedNet };
}
