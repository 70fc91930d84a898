/**
 * Why a value inside a JSON field is null. `absent` of a record names such values by their paths, such as
 * "property_tax.bill" or "distress_matches[0].sale_date". The reasons are written with the record into a serving file.
 */
import { isObject, type JsonObject } from '../lib/json.ts';
import { NOT_RECORDED, words, type InsideRule, type RecordDefinition } from '../lib/record.ts';
import { isSale, type RecordKind } from '../sources/kinds.ts';

/** Why the proxy does not fit; why there is no DSCR; why there is no offer range. */
export const UNDERWRITE_REASONS = words(
  'price_missing units_missing rent_missing price_per_unit_above_144x_monthly_2br_rent',
  'price_per_unit_below_24x_monthly_2br_rent',
);
export const DSCR_REASONS = words(
  'single_unit not_income_property loan_below_minimum price_missing noi_missing price_and_noi_missing',
);
export const OFFER_REASONS = words(
  'proxy_out_of_range_without_claim price_below_proxy_range insufficient_data noi_not_positive',
  'repairs_exceed_value not_applicable',
);

const because = (path: RegExp, code: string): InsideRule => ({ path, codes: [code] });

/** The value of a field beside or above the null, if it is one of the codes. */
const of = (path: RegExp, field: string, [code, ...others]: readonly [string, ...string[]]): InsideRule => ({
  path,
  codes: [code, ...others],
  choose: (around) => around.map((object) => object[field]).find((value) => others.includes(String(value))),
});

/** Rules by the name of the field. */
export const INSIDE = {
  rent_steps: [
    because(/^\.mix/u, 'units_missing'),
    because(/^\.market/u, 'rent_missing'),
    of(/./u, 'basis', ['not_published', 'declared']),
  ],
  expense_lines: [because(/place$/u, 'not_of_a_place'), because(/as_of$/u, 'not_of_a_day')],
  property_tax: [
    of(/rate_/u, 'rate_basis', ['not_published', 'declared']),
    because(/at_price$|current$/u, 'price_missing'),
    because(/bill$/u, 'not_published'),
    because(/taxed_value$/u, 'not_on_roll'),
    of(/if_appealed$/u, 'appeal_basis', [
      'not_computed',
      'assessment_not_above_price',
      'assessment_missing',
      'bill_missing',
      'price_missing',
    ]),
    of(/statute$/u, 'rule_basis', ['not_confirmed', 'declared']),
  ],
  paths: [of(/inputs\./u, 'reason', ['not_computed', ...UNDERWRITE_REASONS, ...DSCR_REASONS])],
  distress: [
    {
      path: /sale_date$/u,
      codes: ['not_a_sale', 'not_published'],
      choose: ([record]) => (isSale(record?.['kind'] as RecordKind) ? 'not_published' : 'not_a_sale'),
    },
    because(/./u, 'not_published'),
  ],
  provenance: [
    because(/^\.distress\./u, 'pages_are_in_distress_matches'),
    of(/./u, 'method', ['not_on_a_page', 'absent', 'derived', 'assumed']),
  ],
  also_listed: [because(/./u, 'not_stated_by_site')],
  corroboration: [because(/counts_as$/u, 'counts_as_no_further_kind')],
  properties: [because(/./u, 'not_published')],
  register_filings: [because(/./u, 'not_published')],
  counties: [because(/./u, 'whole_county')],
  sources: [because(/covered_city$/u, 'whole_county'), because(/./u, 'not_published')],
  comparison: [
    because(/reliability_reason$/u, 'proxy_fits'),
    because(/claim_consistency$/u, 'no_claim'),
    {
      path: /lines/u,
      codes: ['not_computed', 'no_claim', 'no_underwriting', 'neither', 'no_loan'],
      choose: ([line, comparison]) =>
        comparison?.['status'] === 'compared' && line?.['figure'] === 'dscr' ? 'no_loan' : comparison?.['status'],
    },
  ],
  debt_terms: [
    because(/^\.reason$/u, 'dscr_is_computed'),
    because(/rate_/u, 'declared_rate'),
    of(/./u, 'reason', ['no_loan', ...DSCR_REASONS]),
  ],
  sensitivity: [of(/./u, 'status', ['not_computed', 'insufficient_data', 'not_applicable'])],
  offer: [of(/./u, 'status', ['not_computed', ...OFFER_REASONS])],
  recompute: [because(/./u, 'not_known')],
} satisfies Readonly<Record<string, readonly InsideRule[]>>;

/** The reason of each null inside a field, by its path. */
function reasonsInside(field: string, rules: readonly InsideRule[], value: unknown): Record<string, string> {
  const reasons: Record<string, string> = {};
  const walk = (one: unknown, path: string, around: readonly JsonObject[]): void => {
    if (one === null) {
      const rule = rules.find((candidate) => candidate.path.test(path));
      const chosen = String(rule?.choose?.(around));
      reasons[`${field}${path}`] = rule?.codes.includes(chosen) ? chosen : (rule?.codes[0] ?? NOT_RECORDED);
    } else if (Array.isArray(one)) {
      for (const [i, item] of one.entries()) walk(item, `${path}[${i}]`, around);
    } else if (isObject(one)) {
      for (const [name, item] of Object.entries(one)) walk(item, `${path}.${name}`, [one, ...around]);
    }
  };
  walk(value, '', []);
  return reasons;
}

/** Separates the value of a JSON field from the reasons of its nulls, in the text of a record. */
export const INSIDE_SEPARATOR = '\t';

/** The text of a record (models/serving/text.ts) with the reasons of the nulls inside its JSON fields. */
export function withReasonsInside({ columns, causes }: RecordDefinition, text: string): string {
  if (causes === undefined || !text.includes('null')) return text;
  const lines = text.split('\n');
  for (const [at, { name, kind, inside = [] }] of columns.entries()) {
    const line = lines[at] ?? '';
    if (kind !== 'json' || !line.includes('null')) continue;
    const reasons = JSON.stringify(reasonsInside(name, inside, JSON.parse(line)));
    if (reasons !== '{}') lines[at] = line + INSIDE_SEPARATOR + reasons;
  }
  return lines.join('\n');
}

/** The rules of a record, for the version of serving files. */
export const insideRules = ({ columns }: RecordDefinition): string =>
  columns
    .flatMap(({ inside = [] }) => inside)
    .map(({ path, codes, choose }) => [path.source, ...codes, String(choose)].join(' '))
    .join('\n');
