/** Declares assumptions, each with its type and what an operator may set. */
import { LOAN_RATES } from '../references.ts';

/** Value of another key of the same set. */
export type ValueOf = (key: string) => string;

/** Units of assumptions. */
export const UNITS = [
  'share',
  'percent',
  'percent_points',
  'usd',
  'usd_per_unit',
  'usd_per_unit_year',
  'months',
  'years',
  'days',
  'multiple',
  'points',
  'factor',
  'score',
  'units',
  'year',
  'quarters',
  'characters',
  'method',
] as const;

/** The type of a value. */
interface ValueType {
  readonly unit: (typeof UNITS)[number];
  /** Type of its column in the table `terms`. */
  readonly sql: string;
  /** Decimals in which an operator writes it: 0 for a whole number. */
  readonly decimals: 0 | 2;
  readonly least: number;
  readonly most: number;
  /** Zero is refused: the value is a divisor. */
  readonly isPositive?: true;
  /** Published words, names of keys or the law fix the value. */
  readonly isFixed?: true;
  /** The only accepted numbers. */
  readonly options?: readonly number[];
}

export interface Declaration extends ValueType {
  readonly key: string;
  /** A computed value is a function of the other values, so that an override changes it too. */
  readonly value: string | ((valueOf: ValueOf) => string);
  readonly kind: 'evidence' | 'proposal' | 'computed';
  /** Reason for the value, in one sentence. */
  readonly basis: string;
}

const ofType =
  (type: ValueType) =>
  (
    key: string,
    value: Declaration['value'],
    kind: Declaration['kind'],
    basis: string,
    own: Partial<Omit<ValueType, 'unit'>> = {},
  ): Declaration => ({ key, value, kind, basis, ...type, ...own });

/** Decimals of money, percents and multiples. */
const DECIMAL = { sql: 'DECIMAL(14, 2)', decimals: 2, least: 0, most: 99.99 } as const;
const COUNT = { sql: 'INTEGER', decimals: 0, least: 0, most: 9999 } as const;
const MONEY = { sql: 'DECIMAL(14, 2)', decimals: 0, least: 0, most: 1_000_000 } as const;

export const share = ofType({ ...DECIMAL, unit: 'share', sql: 'DECIMAL(6, 4)', most: 0.99 });
export const percent = ofType({ ...DECIMAL, unit: 'percent' });
export const percentPoints = ofType({ ...DECIMAL, unit: 'percent_points' });
export const multiple = ofType({ ...DECIMAL, unit: 'multiple' });
export const factor = ofType({ ...DECIMAL, unit: 'factor', sql: 'DECIMAL(22, 20)' });
export const dollars = ofType({ ...MONEY, unit: 'usd' });
export const dollarsPerUnit = ofType({ ...MONEY, unit: 'usd_per_unit' });
export const dollarsPerUnitYear = ofType({ ...MONEY, unit: 'usd_per_unit_year' });
export const points = ofType({ ...COUNT, unit: 'points' });
export const score = ofType({ ...COUNT, unit: 'score' });
export const units = ofType({ ...COUNT, unit: 'units' });
export const days = ofType({ ...COUNT, unit: 'days' });
export const months = ofType({ ...COUNT, unit: 'months' });
export const quarters = ofType({ ...COUNT, unit: 'quarters' });
export const year = ofType({ ...COUNT, unit: 'year' });
export const years = ofType({ ...COUNT, unit: 'years', most: 40 });
export const characters = ofType({ ...COUNT, unit: 'characters' });
/** The name of a way to compute, which no operator sets. */
export const method = ofType({ ...COUNT, unit: 'method', sql: 'VARCHAR' });

/** A rate of the bank loan: the table of loan factors must have it. */
export const LOAN_RATE = { least: Number(LOAN_RATES.least) / 100, most: Number(LOAN_RATES.most) / 100 };
/** The greatest spread and stress of a loan rate, in points. */
export const MAX_RATE_POINTS = 5;
