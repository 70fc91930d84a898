/** Declares the tests of the properties, and counts the cases of each. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { z } from 'zod';
import { readSettings } from '../../../lib/settings.ts';
import { thorough } from '../../thorough.ts';

const wholeNumber = z.coerce.number('a whole number').int('a whole number');
/** DEALS of `make prove ONLY=models/properties.test DEALS=10000`; otherwise 300, and 100 in `make test`. */
export const { DEALS, SEED } = readSettings(
  z.object({
    DEALS: wholeNumber.min(100, 'at least 100').default(thorough(100, 300)),
    SEED: wholeNumber.default(20261121),
  }),
);

/** The properties that docs/underwriting.md lists, in its order. */
const [, LIST = ''] = readFileSync(new URL('../../../docs/underwriting.md', import.meta.url), 'utf8').split(
  '\n## Properties that always hold\n',
);
const PROPERTIES = [...LIST.matchAll(/^\d+\. (.+(?:\n +.+)*)/gmu)].map(([, text = '']) =>
  text.replaceAll(/\n +/gu, ' '),
);

/** Properties, or parts of them, that audits check on every published row. */
export const AUDITED: Readonly<Record<number, string>> = {
  1: `deals.deal_score_in_range deals.parts_in_range deals.confidence_in_range deals.score_is_sum_of_parts
    deals.motivation_is_sum_of_parts deals.confidence_is_sum_of_parts`,
  2: 'deals.gap_identity deals.dscr_identity',
  3: 'deals.dscr_absent_as_said deals.dscr_reason_absent_as_said',
  8: 'deals.unreliable_scores_nothing',
  11: 'deals.offer_in_order',
  21: 'int_owner_incomes.range_in_order deals.uncovered_debt_earns_nothing',
};

interface Checked {
  readonly number: number;
  readonly property: string;
  readonly cases: number;
}
const checked: Checked[] = [];

/**
 * Test a property by its number.
 * @param part what the test checks, if a property has several tests; else ''
 * @param check throws for a case that lacks the property; returns the number of cases
 */
export function property(number: number, part: string, check: () => number | Promise<number>): void {
  const name = `${PROPERTIES[number - 1] ?? assert.fail()}${part === '' ? '' : ` [${part}]`}`;
  it(`${number}. ${name}`, async () => {
    const cases = await check();
    assert.ok(cases >= DEALS / 50, `only ${cases} cases of ${DEALS} deals`);
    checked.push({ number, property: name, cases });
  });
}

export function assertAllChecked(): void {
  const numbers = new Set([...checked.map((c) => c.number), ...Object.keys(AUDITED).map(Number)]);
  assert.deepEqual(
    [...numbers].sort((a, b) => a - b),
    PROPERTIES.map((_, i) => i + 1),
    'every property has a test or an audit',
  );
}

export function formatChecked(): string[] {
  const lines = checked
    .toSorted((a, b) => a.number - b.number)
    .map((c) => `  ${String(c.number).padStart(2)}  ${String(c.cases).padStart(8)} cases  ${c.property}`);
  return [`${DEALS} random deals, seed ${SEED}`, ...lines];
}
