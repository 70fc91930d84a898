/** Published tax debts of Ohio against the world, of all counties. */
import { compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import { debtKey, ownerLocation, type CountyDebts, type TrueDebt } from './truth/debts.ts';
import { fraction } from '../../lib/fraction.ts';
import { percent } from './recompute/record.ts';
import { withDays, type ReadTable } from './snapshot.ts';
import type { Truth } from './truth/truth.ts';

/** Key of a published signal or of a lead of a debt. */
export const signalKey = (row: Row): string => `${String(row['county_fips'])} ${String(row['parcel_key'])}`;

/** Columns of signals and of leads about the debt itself. */
export const debtFields = ({ amount, printed, months }: TrueDebt): Row => ({
  amount,
  county_value: printed.countyValue,
  amount_to_value_pct: printed.countyValue === null ? null : percent(fraction(amount), fraction(printed.countyValue)),
  years_delinquent: months === null ? null : Math.floor(months / 12),
  months_delinquent: months,
  certified_year: printed.certifiedYear,
  property_class: printed.propertyClass,
  property_kind: printed.propertyKind,
});

export const ownerFields = (debt: TrueDebt): Row => ({
  owner_name: debt.printed.owner,
  owner_location: ownerLocation(debt),
});

export const mailingFields = ({ printed: { mailing } }: TrueDebt): Row => ({
  mail_street: mailing?.street ?? null,
  mail_city: mailing?.city ?? null,
  mail_state: mailing?.state ?? null,
  mail_zip: mailing?.zip ?? null,
});

const trueRow = (debt: TrueDebt, truth: Truth): TrueRow => ({
  key: debtKey(debt),
  fields: {
    debt: {
      ...debtFields(debt),
      years_basis: debt.months === null ? 'unknown' : 'since_certified_year',
    },
    owner: ownerFields(debt),
    'mailing address': mailingFields(debt),
    street: {
      address: debt.place.address,
      address_basis: debt.place.basis,
      has_address: debt.place.address !== null,
    },
    'city and ZIP': {
      city: debt.place.city,
      city_basis: debt.place.cityBasis,
      state: 'OH',
      zip: debt.place.zip,
      zip_basis: debt.place.zipBasis,
    },
    days: {
      last_seen: debt.lastSeen,
      ...(truth.isComplete ? { first_seen: debt.firstSeen } : {}),
    },
  },
});

export async function compareSignals(
  read: ReadTable,
  truth: Truth,
  counties: readonly CountyDebts[],
): Promise<Comparison[]> {
  const signals = (await read('signals', "signal_type = 'tax_delinquent' AND state = 'OH'")).map(withDays);
  const isListed = (row: Row): boolean => row['signal_state'] === 'listed';
  const listed = counties.flatMap((county) => county.listed);
  return [
    ...compare({
      what: 'signals',
      published: signals.filter(isListed),
      keyOf: signalKey,
      // A parcel that owes nothing is on the list and is no debt.
      truth: listed.filter(owes).map((debt) => trueRow(debt, truth)),
    }),
    // Lists from before the oldest snapshot are not known.
    ...(truth.isComplete
      ? compare({
          what: 'signals off the list',
          published: signals.filter((row) => !isListed(row)),
          keyOf: signalKey,
          truth: [...counties.flatMap(({ left }) => left), ...listed.filter((debt) => !owes(debt)).map(debtKey)].map(
            (key) => ({ key, fields: {} }),
          ),
        })
      : []),
  ];
}

export const owes = ({ amount }: TrueDebt): boolean => Number(amount) > 0;
