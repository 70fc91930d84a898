/**
 * Pairs of rows of a county, made by rules: a row of a list and a row of a sale that are one property, or only look
 * like it. By parcel where both have a number, else by address.
 */
import { COUNTY_NUMBERS, type CountyNumbers, type Parts } from './county_numbers.ts';

/** What a row prints of its property. */
export interface PrintedRow {
  readonly parcel: string | null;
  readonly street: string | null;
  readonly zip: string | null;
  readonly property_class?: string;
}

export interface CountyPair {
  readonly county: CountyNumbers;
  readonly rule: string;
  readonly truth: 'same' | 'different';
  readonly list: PrintedRow & { readonly parcel: string };
  readonly sale: PrintedRow;
}

/** Words that sales print in place of a parcel number. */
const WORDS = ['Property Appraiser', 'MULTIPLE PARCEL', 'PERSONAL PROPERTY', 'TIMESHARE', '0000', null] as const;

/** Two spellings of one address, by its house number. */
const SPELLINGS: readonly ((house: number) => readonly [string, string])[] = [
  (house) => [`${house} Alder Ave`, `${house} ALDER AVENUE`],
  (house) => [`${house} N Birch St`, `${house} North Birch Street`],
  (house) => [`${house} Cedar Dr Apt 2`, `${house} CEDAR DR # 2`],
  (house) => [`${house} 1st St`, `${house} FIRST STREET`],
  (house) => [`${house} Saint Clair Blvd`, `${house} ST CLAIR BLVD.`],
  (house) => [`${house} Dogwood Ter W`, `00${house} dogwood terrace west`],
  (house) => [`${house} Elm Ct Unit B`, `${house} Elm Court #B`],
  (house) => [`${house} Fir Ln`, `${house}   FIR  LANE`],
];

/** Two addresses that are not one property, though they look like it, by the house number. */
const NEAR_ADDRESSES: readonly ((house: number) => readonly [string, string])[] = [
  (house) => [`${house} Grove Ave`, `${house}-${house + 2} Grove Ave`],
  (house) => [`${house} N Hazel St`, `${house} S Hazel St`],
  (house) => [`${house} Ivy St # 1`, `${house} Ivy St # 2`],
  (house) => [`${house} Juniper St`, `${house} Juniper St # 2`],
  (house) => [`${house} Maple Ave`, `${house} Maple St`],
  (house) => [`${house} Oak Ln`, `${house + 2} Oak Ln`],
  (house) => [`${house} Palm Dr`, `${house} Plum Dr`],
  (house) => [`${house} 21st St`, `${house} 12th St`],
  (house) => [`${house} E Quince Way`, `${house} Quince Way`],
];

const at = <T>(items: readonly T[], index: number): T => {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('no items');
  return item;
};

/** The next number: its last part that counts is one higher. */
function nextNumber(parts: Parts): Parts {
  const place = parts.findLastIndex((part) => /^\d{3,}$/u.test(part) && /[1-9]/u.test(part));
  return parts.map((part, i) => (i === place ? String(Number(part) + 1).padStart(part.length, '0') : part));
}

/** The number with two digits exchanged. */
function exchangeDigits(parts: Parts): Parts {
  const place = parts.findLastIndex((part) => /^\d{3,}$/u.test(part) && /[1-9]/u.test(part));
  return parts.map((part, i) =>
    i === place ? part.replace(/(\d)((?!\1)\d)(?=\d*$)/u, (_, one: string, other: string) => other + one) : part,
  );
}

/** Rows of a pair by its index within the rule, its invented number, and its own house number. */
type MakeRows = (index: number, parts: Parts, house: number) => Pick<CountyPair, 'list' | 'sale'>;

interface Rule {
  readonly rule: string;
  readonly truth: CountyPair['truth'];
  readonly times: number;
  readonly rows: MakeRows;
}

const NO_ADDRESS = { street: null, zip: null };

function sameRules({ forms, vague = [], zips: [zip] }: CountyNumbers): Rule[] {
  return [
    {
      rule: 'one parcel in two forms, without address',
      truth: 'same',
      times: 60,
      rows: (i, parts) => ({
        list: { parcel: at(forms, i)(parts), ...NO_ADDRESS },
        sale: { parcel: at(forms, i + 1 + Math.floor(i / forms.length))(parts), ...NO_ADDRESS },
      }),
    },
    {
      rule: 'one parcel at a corner, with two streets',
      truth: 'same',
      times: 15,
      rows: (i, parts, house) => ({
        list: { parcel: at(forms, i)(parts), street: `${house} Willow Ave`, zip },
        sale: { parcel: at(forms, i + 1)(parts), street: `${house} Cross St`, zip },
      }),
    },
    {
      rule: 'no parcel at the sale, one address in two spellings',
      truth: 'same',
      times: 40,
      rows: (i, parts, house) => {
        const [one, other] = at(SPELLINGS, i)(house);
        return {
          list: { parcel: at(forms, i)(parts), street: one, zip },
          sale: { parcel: at(WORDS, i), street: other, zip: i % 2 === 0 ? zip : `${zip}-0417` },
        };
      },
    },
    ...vague.map((form) => ({
      rule: 'one parcel, in a form that says less than the number',
      truth: 'same' as const,
      times: 1,
      rows: (_: number, parts: Parts) => ({
        list: { parcel: at(forms, 0)(parts), ...NO_ADDRESS },
        sale: { parcel: form(parts), ...NO_ADDRESS },
      }),
    })),
  ];
}

function numberRules({ forms, others = [], zips: [zip] }: CountyNumbers): Rule[] {
  const alike = [...others, (parts: Parts) => at(forms, 0)(exchangeDigits(parts))];
  return [
    {
      rule: 'the next number, next door',
      truth: 'different',
      times: 20,
      rows: (i, parts, house) => ({
        list: { parcel: at(forms, i)(parts), street: `${house} Willow Ave`, zip },
        sale: { parcel: at(forms, i + 1)(nextNumber(parts)), street: `${house + 2} Willow Ave`, zip },
      }),
    },
    {
      rule: 'the next number, without address',
      truth: 'different',
      times: 20,
      rows: (i, parts) => ({
        list: { parcel: at(forms, i)(parts), ...NO_ADDRESS },
        sale: { parcel: at(forms, i + 1)(nextNumber(parts)), ...NO_ADDRESS },
      }),
    },
    {
      rule: 'a number that looks alike',
      truth: 'different',
      times: 20,
      rows: (i, parts) => ({
        list: { parcel: at(forms, i)(parts), ...NO_ADDRESS },
        sale: { parcel: at(alike, i)(parts), ...NO_ADDRESS },
      }),
    },
  ];
}

function addressRules({ forms, zips: [zip, otherZip] }: CountyNumbers): Rule[] {
  return [
    {
      rule: 'two homes of a building',
      truth: 'different',
      times: 10,
      rows: (i, parts, house) => ({
        list: { parcel: at(forms, i)(parts), street: `${house} Willow Ave # 1`, zip },
        sale: { parcel: at(forms, i)(nextNumber(parts)), street: `${house} Willow Ave # 2`, zip },
      }),
    },
    {
      rule: 'two homes of a building, printed without their units',
      truth: 'different',
      times: 10,
      rows: (i, parts, house) => ({
        list: { parcel: at(forms, i)(parts), street: `${house} Willow Ave`, zip, property_class: 'CONDOMINIUM' },
        sale: { parcel: at(forms, i)(nextNumber(parts)), street: `${house} Willow Ave`, zip },
      }),
    },
    {
      rule: 'words for a parcel number, next door',
      truth: 'different',
      times: 10,
      rows: (i, parts, house) => ({
        list: { parcel: at(forms, i)(parts), street: `${house} Willow Ave`, zip },
        sale: { parcel: at(WORDS, i), street: `${house + 2} Willow Ave`, zip },
      }),
    },
    {
      rule: 'no parcel at the sale, an address that looks alike',
      truth: 'different',
      times: 27,
      rows: (i, parts, house) => {
        const [one, other] = at(NEAR_ADDRESSES, i)(house);
        return {
          list: { parcel: at(forms, i)(parts), street: one, zip },
          sale: { parcel: null, street: other, zip },
        };
      },
    },
    {
      rule: 'no parcel at the sale, one street in two towns',
      truth: 'different',
      times: 6,
      rows: (i, parts, house) => ({
        list: { parcel: at(forms, i)(parts), street: `${house} Laurel Ave`, zip },
        sale: { parcel: null, street: `${house} Laurel Ave`, zip: otherZip },
      }),
    },
  ];
}

/** Pairs of a county; each has a number and an address of its own. */
function pairsOf(county: CountyNumbers): CountyPair[] {
  const rules = [...sameRules(county), ...numberRules(county), ...addressRules(county)];
  const rows = rules.flatMap((rule) => Array.from({ length: rule.times }, (_, index) => ({ ...rule, index })));
  return rows.map(({ rule, truth, index, rows: rowsOf }, n) => ({
    county,
    rule,
    truth,
    ...rowsOf(index, county.number(n), 1001 + 10 * n),
  }));
}

export const countyPairs = (): CountyPair[] => COUNTY_NUMBERS.flatMap(pairsOf);
