/** The declared assumption sets: one list of keys, and the values in which an earlier set differs. */
import { OF_2026_1 } from './financing.ts';
import { INCOME_OF_2026_1 } from './income.ts';
import { LEADS_OF_2026_1 } from './leads.ts';
import { SCORES_OF_2026_1 } from './scores.ts';

export const SET_IDS = ['uw-2026.2', 'uw-2026.1'] as const;

export type SetId = (typeof SET_IDS)[number];

export interface DeclaredSet {
  readonly declaredOn: string;
  /** Values that differ from the newest set, by key. */
  readonly values: ReadonlyMap<string, string>;
}

export const SETS: Readonly<Record<SetId, DeclaredSet>> = {
  'uw-2026.2': { declaredOn: '2026-11-23', values: new Map() },
  'uw-2026.1': {
    declaredOn: '2026-11-21',
    values: new Map([...INCOME_OF_2026_1, ...OF_2026_1, ...SCORES_OF_2026_1, ...LEADS_OF_2026_1]),
  },
};

/** The set of new snapshots unless ASSUMPTION_SET names another. */
export const NEWEST_SET: SetId = 'uw-2026.2';
