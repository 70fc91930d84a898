/**
 * The declared assumption set: every number of underwriting, scores and leads, each a row of assumptions/declared.csv.
 * The SQL reads the table, `/api/meta` and the report publish it, and each record names its set. A changed value makes
 * a new set id; older records keep theirs.
 */
import { createHash } from 'node:crypto';
import { literal } from '../lib/sql.ts';
import { date, defineRecord, oneOf, text, type RowOf } from '../lib/record.ts';
import { COMPUTED, DECLARED, UNITS, type Declaration } from './assumptions/declared.ts';
import { monthlyFactor } from './assumptions/loan_factors.ts';

export const Assumption = defineRecord(
  'assumption',
  'One row per value of the declared assumption set.',
  ['assumption_set_id', 'key'],
  {
    assumption_set_id: text('Assumption set.'),
    key: text('Name of the value, as formulas and rationales use it.'),
    value: text('Decimal string or whole number.'),
    unit: oneOf(UNITS, 'share: fraction of one; factor: multiplier of the loan; method: name of a way to compute.'),
    kind: oneOf(
      ['evidence', 'proposal', 'computed', 'override'],
      'evidence: read in a public source; proposal: our declared choice; computed: from other ' +
        "values; override: from the operator's ASSUMPTIONS_FILE.",
    ),
    basis: text('Reason for the value.'),
    declared_on: date('Day the set was declared.'),
  },
);

/**
 * SQL of the table `terms`: one row, in which each value of the set is a column of its type. Its key is the set.
 */
export function termsText(): string {
  const columns = DECLARED.map(({ key, sql }) => `  cast(declared[${literal(key)}] as ${sql}) as ${key}`);
  return `-- Key: assumption_set_id
-- Not null: ${[...DECLARATIONS.keys()].join(', ')}
select
  assumption_set_id,
${columns.join(',\n')}
from (
  select assumption_set_id, map(list(key), list(value)) as declared from declared_assumptions group by assumption_set_id
)`;
}

export type AssumptionRow = RowOf<typeof Assumption>;

export interface AssumptionSet {
  readonly id: string;
  readonly rows: readonly AssumptionRow[];
}

/** Id of the declared set, and the day it was declared. */
const DECLARED_SET = 'uw-2026.3';
const DECLARED_ON = '2026-11-23';

/** The declarations by key. */
export const DECLARATIONS: ReadonlyMap<string, Declaration> = new Map(DECLARED.map((each) => [each.key, each]));

/** The id of a set with changed values: the declared id, a plus sign and the hash of the differences. */
function idOf(changed: ReadonlyMap<string, string>): string {
  if (changed.size === 0) return DECLARED_SET;
  const sorted = [...changed].sort(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
  return `${DECLARED_SET}+${hash.slice(0, 8)}`;
}

/**
 * The set of new snapshots. Overrides make a set of their own, and computed values follow.
 * @param overrides checked values by key, from models/assumptions/overrides.ts
 */
export function currentAssumptions(overrides: ReadonlyMap<string, string> = new Map()): AssumptionSet {
  const declared = (key: string): string | undefined => DECLARATIONS.get(key)?.value;
  const changed = new Map([...overrides].filter(([key, value]) => DECLARATIONS.has(key) && declared(key) !== value));
  const id = idOf(changed);
  const valueOf = (key: string): string => {
    const value = changed.get(key) ?? declared(key);
    if (value === undefined) throw new Error(`no assumption is called ${key}`);
    if (value !== COMPUTED) return value;
    const hundredths = Math.round(Number(valueOf('seller_rate_pct')) * 100);
    return monthlyFactor(BigInt(hundredths), BigInt(valueOf('seller_years')));
  };
  const rows = DECLARED.map(({ key, unit, kind, basis }): AssumptionRow => ({
    assumption_set_id: id,
    key,
    value: valueOf(key),
    unit,
    declared_on: DECLARED_ON,
    ...(changed.has(key)
      ? { kind: 'override', basis: `Set by the operator; ${DECLARED_SET} declares ${declared(key) ?? ''}.` }
      : { kind, basis }),
  }));
  return { id, rows };
}
