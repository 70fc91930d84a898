/** Recomputes a deal's rents, from HUD's to those of sitting tenants, by the steps that the deal publishes. */
import { fraction, type Fraction } from '../../../lib/fraction.ts';
import { isRented, valueIf, type Recomputed, type Values } from './record.ts';

const BEDROOMS = ['br_0', 'br_1', 'br_2', 'br_3', 'br_4'] as const;
type ByBedrooms = Readonly<Record<(typeof BEDROOMS)[number], string>>;

interface RentSteps {
  readonly mix: { readonly weights: ByBedrooms; readonly sum: string };
  readonly market: { readonly rents: ByBedrooms };
  readonly in_place: { readonly ratios: ByBedrooms };
  readonly contract: { readonly utility_share: string };
}

const sum = (values: readonly Fraction[]): Fraction => values.reduce((total, value) => total.plus(value), fraction(0));

export function recomputeRents(values: Values): Recomputed {
  const { mix, market, in_place: inPlace, contract } = values.record['rent_steps'] as RentSteps;
  const weighted = (rentOf: (bedrooms: (typeof BEDROOMS)[number]) => string): string =>
    sum(BEDROOMS.map((bedrooms) => fraction(mix.weights[bedrooms]).times(fraction(rentOf(bedrooms)))))
      .over(fraction(mix.sum))
      .rounded(2);
  const isKnown = isRented(values);
  const rentInPlace = valueIf(isKnown, () =>
    weighted((bedrooms) => fraction(market.rents[bedrooms]).times(fraction(inPlace.ratios[bedrooms])).rounded(2)),
  );
  return {
    market_rent_mix: valueIf(isKnown, () => weighted((bedrooms) => market.rents[bedrooms])),
    rent_in_place: rentInPlace,
    contract_rent:
      rentInPlace &&
      fraction(rentInPlace)
        .times(fraction(1).minus(fraction(contract.utility_share)))
        .rounded(2),
  };
}
