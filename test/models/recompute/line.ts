/** Recomputes the one line that says what decides a deal, with the words of the table of docs/underwriting.md. */
import { readFileSync } from 'node:fs';
import { fraction, type Fraction } from '../../../lib/fraction.ts';
import { isSale } from '../../../sources/kinds.ts';
import { dayNumber, isNotLet, isScored, type Recomputed, type Values } from './values.ts';

interface Fact {
  readonly name: string;
  /** Number of asterisks. */
  readonly due: number;
  readonly first: string;
  readonly later: string;
}

const PAGE = readFileSync(new URL('../../../docs/underwriting.md', import.meta.url), 'utf8');
const [, TABLE = ''] = /^## The line$.*?^\|---.*?$\n(.*?)^$/msu.exec(PAGE) ?? [];

/** The rows of the table, in order. */
export const FACTS: readonly Fact[] = TABLE.trimEnd()
  .split('\n')
  .map((row) => {
    const [, name = '', , first = '', later = ''] = row.split('|').map((cell) => cell.trim());
    const wordsOf = (cell: string): string => (cell === '-' ? '' : cell);
    return {
      name: name.replace(/ \*+$/u, ''),
      due: name.split('*').length - 1,
      first: wordsOf(first),
      later: wordsOf(later === 'same' ? first : later),
    };
  });

const WIDTH = 80;
const RECORDS = 'code_violation blight_judgment foreclosure_filing tax_lien'.split(' ');

interface Match {
  readonly kind: string;
  readonly amount: string | null;
  readonly sale_date: string | null;
}

const inWords = (code: string): string => code.replaceAll('_', ' ');
const dollars = (amount: Fraction | string): string =>
  `$${(typeof amount === 'string' ? fraction(amount) : amount).rounded(0).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',')}`;

function dayText(days: number): string {
  if (days === 0) return 'today';
  return days === 1 ? 'in 1 day' : `in ${days} days`;
}

/** Names of the facts that hold, and the values of the words in braces. */
function readDeal(values: Values) {
  const { record, has, of, assumed, asOf } = values;
  const isLet = !isNotLet(values);
  const isEarning = isLet && isScored(values);
  const is = (column: string, ...codes: readonly string[]): boolean => codes.includes(String(record[column]));
  const isAtLeast = (column: string, least: Fraction): boolean => has(column) && !of(column).isBelow(least);
  const isBelow = (column: string, limit: Fraction): boolean => has(column) && of(column).isBelow(limit);
  const [material, one, wanted] = [assumed('material_gap'), fraction(1), assumed('loan_coverage')];
  const isComparable = !is('underwriting_agreement', 'contradicted') && !is('underwrite_reliability', 'unknown');
  const [isHigh, isLow] = [
    isComparable && isAtLeast('cap_gap_pct', material),
    isComparable && has('cap_gap_pct') && !fraction(0).minus(of('cap_gap_pct')).isBelow(material),
  ];
  const matches = record['distress_matches'] as readonly Match[];
  const [sale] = matches
    .filter(({ kind }) => isSale(kind))
    .map(({ kind, sale_date }) => ({ kind, days: dayNumber(sale_date) - dayNumber(asOf) }))
    .toSorted((a, b) => a.days - b.days || (a.kind < b.kind ? -1 : 1));
  const debts = matches.filter(({ kind }) => kind === 'tax_delinquent');
  const owed = debts.flatMap(({ amount }) => (amount === null ? [] : [fraction(amount)]));
  const missing = Object.entries({ list_price: 'no price', units: 'no units', market_rent_2br: 'no HUD rent' })
    .filter(([column]) => !has(column))
    .map(([, words]) => words);
  const { bill } = record['property_tax'] as { readonly bill: string | null };
  const isRisk = is('score_limit', 'condition_risk');
  const isUncovered = isScored(values) && isBelow('dscr_underwritten', one);
  const isFar = isUncovered && isBelow('dscr_underwritten', assumed('line_far_coverage'));
  const isCovering = isEarning && isAtLeast('dscr_underwritten', one);
  const isClaimBelow = !is('cap_rate_source', 'none') && isBelow('dscr', one);
  const found = RECORDS.find((kind) => (record['distress_kinds'] as readonly string[]).includes(kind));
  const holds: Readonly<Record<string, boolean>> = {
    condemned: is('condition_record', 'condemned'),
    'to be vacated': is('condition_record', 'order_to_vacate'),
    vacant: is('condition_record', 'vacant_building'),
    'no rent': !isLet,
    'serious case': is('condition_record', 'code_case'),
    'claim too high': isHigh,
    'claim too low': isLow,
    sale: sale !== undefined,
    tax: owed.length > 0,
    'tax, amount unknown': debts.length > 0 && owed.length === 0,
    'no NOI': is('claim_issue', 'noi_not_positive'),
    contradiction: is('claim_issue', 'noi_contradicts_cap_rate'),
    'one unit': is('dscr_reason', 'single_unit'),
    land: is('dscr_reason', 'not_income_property'),
    'no data': missing.length > 0,
    'price too high': is('underwrite_reliability', 'proxy_out_of_range'),
    'price too low': is('underwrite_reliability', 'unknown') && missing.length === 0,
    'low price': isRisk && is('condition_risk', 'low_price_per_unit', 'low_price_to_rent'),
    'high yield': isRisk && is('condition_risk', 'high_cap_rate'),
    'price cut': isAtLeast('price_reduction_pct', assumed('line_price_cut_pct')),
    'tax rise': bill !== null && isAtLeast('tax_after_reset', fraction(bill).times(assumed('line_tax_rise'))),
    'claim agrees': is('underwriting_agreement', 'agrees', 'rated_pass'),
    'no coverage, as claimed': isUncovered && isClaimBelow,
    'no coverage by far': isFar,
    'no coverage': isUncovered && !isFar,
    'no coverage, short': isUncovered,
    'thin coverage': isCovering && !isClaimBelow && isBelow('dscr_underwritten', wanted),
    coverage: isCovering && !isClaimBelow && isAtLeast('dscr_underwritten', wanted),
    'doubtful coverage': isCovering && isClaimBelow,
    'small loan': is('dscr_reason', 'loan_below_minimum'),
    DSCR: isCovering && !isClaimBelow,
    record: is('condition_record', 'none') && found !== undefined,
    'price a unit': is('underwrite_reliability', 'proxy_out_of_range'),
    'claim not judged': has('underwrite_reason') && !is('cap_rate_source', 'none') && !(isHigh || isLow),
    offer: isEarning && has('offer_high') && of('offer_high').isBelow(of('list_price')),
  };
  const rounded = (column: string): string => (has(column) ? dollars(of(column)) : '');
  const words: Readonly<Record<string, string>> = {
    since: has('condition_record_on') ? ` since ${String(record['condition_record_on'])}` : ' (date unknown)',
    claim: `${String(record['cap_rate'] ?? record['cap_rate_derived'])}%`,
    name: is('cap_rate_source', 'advertised') ? 'claimed cap' : 'cap by stated NOI',
    cap: `${String(record['cap_rate_underwritten'])}%`,
    dscr: String(record['dscr_underwritten']),
    at_claim: String(record['dscr']),
    cut: `${String(record['price_reduction_pct'])}%`,
    sale: inWords(sale?.kind ?? ''),
    day: dayText(sale?.days ?? 0),
    owed: dollars(owed.reduce((sum, amount) => sum.plus(amount), fraction(0))),
    noi: rounded('noi'),
    missing: missing.join(', '),
    unit: rounded('price_per_unit'),
    bill: dollars(bill ?? '0'),
    after: rounded('tax_after_reset'),
    record: inWords(found ?? ''),
    offer: rounded('offer_high'),
  };
  return { holds, words };
}

/** The line, and the names of the facts in it. */
export function lineOf(values: Values): { readonly line: string; readonly facts: readonly string[] } {
  const { holds, words } = readDeal(values);
  const fill = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/gu, (_, word: string) => words[word] ?? `{${word}}`);
  const [lead, ...others] = FACTS.filter(({ name }) => holds[name] ?? true);
  if (lead === undefined) throw new Error('no fact holds');
  const facts = [lead.name];
  let line = fill(lead.first);
  for (const { name, later } of others.toSorted((a, b) => b.due - a.due)) {
    if (later === '' || line.includes(fill(later)) || `${line}; ${fill(later)}.`.length > WIDTH) continue;
    line += `; ${fill(later)}`;
    facts.push(name);
  }
  return { line: `${line.slice(0, 1).toUpperCase()}${line.slice(1)}.`, facts };
}

export const recomputeLine = (values: Values): Recomputed => ({ why_this_is_interesting: lineOf(values).line });
