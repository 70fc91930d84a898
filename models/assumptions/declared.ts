/**
 * The declared assumptions, rows of declared.csv: key, value, type, kind and the reason for the value in a sentence. A
 * value is a proposal of ours, evidence (read in a public source) or computed (from the other values).
 */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { words } from '../../lib/record.ts';
import { LOAN_RATES, LOAN_YEARS } from '../references.ts';

/** Units of assumptions. */
export const UNITS = words(
  'share percent percent_points usd usd_per_unit usd_per_unit_year months years days multiple points',
  'factor score units year quarters characters method',
);

/** The type of a value. */
interface ValueType {
  readonly unit: (typeof UNITS)[number];
  /** Type of its column in the table `terms`. */
  readonly sql: string;
  /** Decimals in which an operator writes it: 0 for a whole number. */
  readonly decimals: 0 | 2;
  readonly least: number;
  readonly most: number;
  /** The only accepted numbers. */
  readonly options?: readonly number[];
}

export interface Declaration extends ValueType {
  readonly key: string;
  /** COMPUTED if models/assumptions.ts computes it from the other values. */
  readonly value: string;
  readonly kind: 'evidence' | 'proposal' | 'computed';
  /** Reason for the value, in one sentence. */
  readonly basis: string;
  /** Zero is refused: the value is a divisor. */
  readonly isPositive: boolean;
  /** Published words, names of keys or the law fix the value. */
  readonly isFixed: boolean;
}

/** The value of a row that follows from the other values. */
export const COMPUTED = 'of_rate_and_years';

/** Decimals of money, percents and multiples. */
const DECIMAL = { sql: 'DECIMAL(14, 2)', decimals: 2, least: 0, most: 99.99 } as const;
const WHOLE = { ...DECIMAL, decimals: 0 } as const;
const COUNT = { sql: 'INTEGER', decimals: 0, least: 0, most: 9999 } as const;
const MONEY = { ...WHOLE, most: 1_000_000 } as const;
const SHARE = { ...DECIMAL, unit: 'share', sql: 'DECIMAL(6, 4)', most: 0.99 } as const;

/** Types by the name in a row; a count has the name of its unit. */
const TYPES: Readonly<Record<string, ValueType>> = {
  share: SHARE,
  change: { ...SHARE, least: -0.99 },
  weight: { ...SHARE, sql: DECIMAL.sql },
  percent: { ...DECIMAL, unit: 'percent' },
  // The table of loan factors must have the rate.
  loan_rate: {
    ...DECIMAL,
    unit: 'percent',
    least: Number(LOAN_RATES.least) / 100,
    most: Number(LOAN_RATES.most) / 100,
  },
  whole_percent: { ...WHOLE, unit: 'percent', most: 100 },
  percent_points: { ...DECIMAL, unit: 'percent_points' },
  rate_points: { ...DECIMAL, unit: 'percent_points', most: 5 },
  whole_percent_points: { ...WHOLE, unit: 'percent_points' },
  multiple: { ...DECIMAL, unit: 'multiple' },
  whole_multiple: { ...WHOLE, unit: 'multiple' },
  factor: { ...DECIMAL, unit: 'factor', sql: 'DECIMAL(22, 20)' },
  divisor: { ...DECIMAL, unit: 'factor', sql: 'DECIMAL(6, 4)' },
  whole_factor: { ...DECIMAL, unit: 'factor', sql: 'INTEGER' },
  usd: { ...MONEY, unit: 'usd' },
  whole_usd: { ...MONEY, unit: 'usd', sql: 'INTEGER' },
  usd_per_unit: { ...MONEY, unit: 'usd_per_unit' },
  usd_per_unit_year: { ...MONEY, unit: 'usd_per_unit_year' },
  points_of_share: { ...COUNT, unit: 'points', sql: 'DECIMAL(6, 2)' },
  years: { ...COUNT, unit: 'years', most: 40 },
  loan_years: { ...COUNT, unit: 'years', most: 40, options: LOAN_YEARS },
  method: { ...COUNT, unit: 'method', sql: 'VARCHAR' },
};

/** A row of declared.csv. */
interface Row {
  readonly key: string;
  readonly value: string;
  readonly type: string;
  readonly kind: Declaration['kind'];
  readonly is_positive: string;
  readonly is_fixed: string;
  readonly basis: string;
}

export const DECLARED: readonly Declaration[] = parse<Row>(readFileSync(new URL('declared.csv', import.meta.url)), {
  columns: true,
}).map(({ type, is_positive, is_fixed, ...row }) => ({
  ...row,
  ...(TYPES[type] ?? { ...COUNT, unit: type as Declaration['unit'] }),
  isPositive: is_positive === 'true',
  isFixed: is_fixed === 'true',
}));
