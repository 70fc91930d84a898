/** Reads the sentences of a report's summary back, and compares each claim with the fields of the report. */
import assert from 'node:assert/strict';
import type { summaryOf } from '../../../api/routes/report/summary.ts';
import { AUCTION_TYPES, isSale, RECORD_KINDS } from '../../../sources/kinds.ts';

type Deal = Parameters<typeof summaryOf>[0];
type Report = Parameters<typeof summaryOf>[1];
type CountyRecord = Deal['distress_matches'][number];

/** Differences between what a sentence says and a field, as text. */
type Difference = readonly [field: string, said: unknown, stated: unknown];
type Check = (found: readonly (string | undefined)[], deal: Deal, report: Report) => readonly Difference[];

/** "$1,000,500.50" as 1000500.5. */
const dollars = (text: string | undefined): number | null =>
  text === undefined ? null : Number(text.replaceAll(/[$,]/g, ''));
const amount = (decimal: string | null): number | null => (decimal === null ? null : Number(decimal));
const code = (text: string | undefined): string | null => text?.replaceAll(' ', '_') ?? null;
/** How many of tax lists and auctions cover the place. */
const isRead = ({ distress_coverage: coverage }: Deal): number =>
  [['tax_delinquent' as const], AUCTION_TYPES].filter((kinds) => kinds.some((kind) => coverage[kind] === 'covered'))
    .length;

/** Each kind of record in a sentence. */
const SPOKEN = Object.fromEntries(
  RECORD_KINDS.map((kind) => {
    if (kind === 'tax_delinquent') return [kind, 'delinquent tax'];
    return [kind, kind === 'condemned' ? 'a condemned building' : `a ${kind.replaceAll('_', ' ')}`];
  }),
);
const RECORDS = new RegExp(
  String.raw`(${Object.values(SPOKEN).join('|')})(?: of (\$[\d,.]*\d))?(?: on ([\d-]+))?`,
  'gu',
);

/** The kinds, amounts and days of a list of county records. */
const recordsIn = (text: string): string[] =>
  [...text.matchAll(RECORDS)].map(([, name, money, day]) => `${name} ${dollars(money)} ${day ?? null}`);
const namesOf = (records: readonly CountyRecord[]): string[] =>
  records.map((r) => `${SPOKEN[r.kind]} ${isSale(r.kind) ? null : amount(r.amount)} ${r.sale_date}`);

/** The cap rate that the deal claims, advertised or from its stated income. */
const claimOf = (deal: Deal): unknown => deal.cap_rate ?? (deal as Record<string, unknown>)['cap_rate_derived'] ?? null;

/** Each class of claims: its sentence, and what must hold if it is said. */
const CLAIMS: readonly (readonly [name: string, sentence: RegExp, check: Check])[] = [
  [
    'price',
    /^Asking (\S+) for (\d+|an unstated number of) units?(?:, (\S+) per unit)?(?:, after a cut of (\S+)% seen .*)?\.$/,
    ([price, units, perUnit, cut], deal) => [
      ['list_price', dollars(price), amount(deal.list_price)],
      ['units', units?.startsWith('an') === true ? null : Number(units), deal.units],
      ...(perUnit === undefined ? [] : [['price_per_unit', dollars(perUnit), amount(deal.price_per_unit)] as const]),
      ['price_reduction_pct', Number(cut ?? 0), Number(deal.price_reduction_pct)],
    ],
  ],
  ['no price', /^No asking price is published, for .*\.$/, (_, deal) => [['list_price', null, deal.list_price]]],
  [
    'cap rate',
    /^(?:No cap rate.*|The (advertised|stated).* (\S+)%); (?:it could not.*|HUD .* (\S+)%(?:, .* (\S+) points)?)\.$/,
    ([basis, claim = null, underwritten = null, gap = null], deal) => [
      ['cap_rate', claim, claimOf(deal)],
      ['cap_rate_source', basis === 'advertised', deal.cap_rate_source === 'advertised'],
      ['cap_rate_underwritten', underwritten, deal.cap_rate_underwritten],
      ['cap_gap_pct', gap, deal.cap_gap_pct],
    ],
  ],
  [
    'reliability',
    /^HUD's 2-bedroom rent does not fit this property/,
    (_, deal) => [['underwrite_reliability', 'proxy_out_of_range', deal.underwrite_reliability]],
  ],
  [
    'no DSCR',
    /^There is no DSCR: (.*)\.$/,
    ([reason], deal) => [
      ['dscr', null, deal.dscr],
      ['dscr_reason', code(reason), deal.dscr_reason ?? 'not_computed'],
    ],
  ],
  [
    'DSCR',
    /^DSCR (\S+) on the (\S+ NOI|NOI of .* cap rate), with a loan of (\d+)% at (\S+)% \((.*)\) over (\S+) years\.$/,
    ([dscr, noi = '', share, rate, basis = '', years], deal, { debt_terms: { bank } }) => [
      ['dscr', dscr, deal.dscr],
      ['noi_source', noi.startsWith('underwritten'), deal.noi_source === 'underwritten'],
      ['noi_source', noi.startsWith("broker's"), deal.noi_source === 'stated'],
      ['loan_to_value', Number(share), Math.round(Number(bank.loan_to_value) * 100)],
      ['rate_pct', rate, bank.rate_pct],
      ['rate_on', basis === 'a declared rate' ? null : basis.split(' ').at(-1), bank.rate_on],
      ['years', years, bank.years],
    ],
  ],
  [
    'cash',
    /^A lender sizes (?:no loan|a loan of (\$\S+)) \((.*)\): (\$\S+) of cash is needed and earns (\S+)% a year before /,
    ([loan, limit = '', cash, earned], deal) => [
      ['loan_sized', dollars(loan) ?? 0, amount(deal.loan_sized)],
      ['loan_binding', limit === 'limited by the price', deal.loan_binding === 'loan_to_value'],
      ['loan_binding', limit === 'limited by the income', deal.loan_binding === 'debt_coverage'],
      ['cash_needed', dollars(cash), amount(deal.cash_needed)],
      ['cash_on_cash_pct', earned, deal.cash_on_cash_pct],
    ],
  ],
  [
    'paths',
    /^Rental (\w+), wholesale (\w+), creative finance (\w+)\.$/,
    ([rental, wholesale, creative], deal) => [
      ['rental_status', rental, deal.rental_status],
      ['wholesale_status', wholesale, deal.wholesale_status],
      ['creative_finance_status', creative, deal.creative_finance_status],
    ],
  ],
  [
    'no offer',
    /^No offer is suggested: (.*)\.$/,
    ([status], _deal, { offer }) => [
      ['offer.status', code(status), offer.status],
      ['offer', true, offer.low === null || offer.high === null],
    ],
  ],
  [
    'offer',
    /^Suggested offer (\$\S+)(?: to (\$\S+))? at .* of (\S+)%(?:, limited by the ([^;]+?))?(;.*unverified claim)?\.$/,
    ([low, high, target, limit, unverified], _deal, { offer }) => [
      ['offer.low', dollars(low), amount(offer.low)],
      ['offer.high', dollars(high ?? low), amount(offer.high)],
      ['offer.target_cap_pct', target, offer.target_cap_pct],
      ['offer.high_binding', code(limit), offer.high_binding],
      ['offer.status', unverified !== undefined, offer.status === 'claimed_basis_unverified'],
    ],
  ],
  [
    'assessed value',
    /^The county's roll values the parcel at (\S+?)(?:; the asking price is (\d+)% of it)?\.$/,
    ([value, share], deal) => [
      ['assessed_market_value', dollars(value), amount(deal.assessed_market_value)],
      ['list_price', share === undefined, deal.list_price === null],
    ],
  ],
  [
    'last sale',
    /^It was last transferred (?:on an unknown day|on ([\d-]+)) (?:without a price|for (\S+)) \(.*$/,
    ([day = null, paid], deal) => [
      ['last_sale_date', day, deal.last_sale_date],
      ['last_sale_price', dollars(paid), amount(deal.last_sale_price)],
    ],
  ],
  [
    'records',
    /^County records at this address: (.*)\.$/,
    ([records = ''], deal) => [['distress_matches', recordsIn(records), namesOf(deal.distress_matches)]],
  ],
  [
    'candidates',
    /^(Other|No county record matches this property exactly\.).* records (?:that )?may be.*nothing: (.*)\.$/,
    ([others, records = ''], deal) => [
      ['distress_candidates', recordsIn(records), namesOf(deal.distress_candidates)],
      ['distress_matches', others === 'Other', deal.distress_matches.length > 0],
    ],
  ],
  [
    'no records',
    /^No (?:tax delinquency and no auction|public record) at this address/,
    (_, deal) => [
      ['distress_matches', [], deal.distress_matches],
      ['distress_candidates', [], deal.distress_candidates],
    ],
  ],
  ['both read', /\bboth are read|^Both tax delinquency/i, (_, deal) => [['distress_coverage', 2, isRead(deal)]]],
  [
    'not both read',
    /tax delinquency and auctions are not both/i,
    (_, deal) => [['distress_coverage', true, isRead(deal) < 2]],
  ],
  ['none read', /^Neither tax delinquency/, (_, deal) => [['distress_coverage', 0, isRead(deal)]]],
  [
    'no address',
    /the street address is unknown\.$/i,
    (_, deal) => [['distress_status', 'address_unknown', deal.distress_status]],
  ],
];

/** Claims of the first sentence, which the models write. Each is compared if it is made. */
const HEADLINES: readonly (readonly [sentence: RegExp, check: Check])[] = [
  [/DSCR of (\S+) at declared terms/, ([dscr], deal) => [['dscr_underwritten', dscr, deal.dscr_underwritten]]],
  [
    /HUD rent supports (?:a cap rate of )?(\S+?)%/,
    ([cap], deal) => [['cap_rate_underwritten', cap, deal.cap_rate_underwritten]],
  ],
  [/advertises a cap rate of (\S+)%/, ([cap], deal) => [['cap_rate', cap, deal.cap_rate]]],
  [/stated NOI gives a cap rate of (\S+)%/, ([cap], deal) => [['cap_rate_derived', cap, deal.cap_rate_derived]]],
  [/no cap rate is advertised/i, (_, deal) => [['cap_rate', null, deal.cap_rate]]],
  [
    /county records show .* sale /,
    (_, { distress_matches: found }) => [['distress_matches', true, found.some((r) => isSale(r.kind))]],
  ],
  [
    /county records show .*?(\$[\d,.]*\d) of delinquent tax/,
    ([tax], { distress_matches: found }) => [
      [
        'distress_matches',
        dollars(tax),
        found.reduce((sum, r) => sum + (r.kind === 'tax_delinquent' ? Math.round(Number(r.amount) * 100) : 0), 0) / 100,
      ],
    ],
  ],
];

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** What the summary says and the report does not, one line each. A sentence that no claim knows is one, too. */
export function contradictions([headline = '', ...sentences]: readonly string[], deal: Deal, report: Report): string[] {
  const found: string[] = [];
  const compare = (sentence: string, check: Check, groups: readonly (string | undefined)[]): void => {
    for (const [field, said, stated] of check(groups, deal, report))
      if (!isSame(said, stated)) found.push(`"${sentence}": ${field} is ${JSON.stringify(stated)}`);
  };
  for (const [pattern, check] of HEADLINES) {
    const match = pattern.exec(headline);
    if (match) compare(headline, check, match.slice(1));
  }
  for (const sentence of sentences) {
    const claims = CLAIMS.filter(([, pattern]) => pattern.test(sentence));
    if (claims.length === 0) found.push(`"${sentence}" is a claim of no known class`);
    for (const [, pattern, check] of claims) compare(sentence, check, pattern.exec(sentence)?.slice(1) ?? []);
  }
  const said = sentences.join(' ');
  for (const record of namesOf([...deal.distress_matches, ...deal.distress_candidates]))
    if (!recordsIn(said).includes(record)) found.push(`the county record "${record}" is in no sentence`);
  return found;
}

/** The classes of claims in a summary. */
export const claimsIn = (sentences: readonly string[]): string[] =>
  CLAIMS.flatMap(([name, pattern]) => (sentences.some((sentence) => pattern.test(sentence)) ? [name] : []));

/** Assert that no sentence contradicts a field. */
export const assertConsistent = (sentences: readonly string[], deal: Deal, report: Report): void =>
  assert.deepEqual(contradictions(sentences, deal, report), [], deal.id);
