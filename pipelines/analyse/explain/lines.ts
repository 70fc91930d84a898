/** An explanation as people read it. */
import { evaluate } from '../../../lib/formula.ts';
import { SettingError } from '../../../lib/settings.ts';
import { aboutField, type Explanation } from './explain.ts';
import type { PageFound } from './pages.ts';
import type { Step } from './steps.ts';

/** Group of a deal's provenance that a field belongs to. Others are of the listing. */
const GROUPS: Readonly<Record<string, string>> = {
  market_rent_2br: 'rent',
  rent_area_code: 'rent',
  rent_area_name: 'rent',
  rent_fiscal_year: 'rent',
  cap_rate: 'claim',
  noi: 'claim',
  days_on_feed: 'history',
  first_price: 'history',
  first_seen: 'history',
};
/** Inputs that are shown inside other fields, and which. */
const INSIDE: Readonly<Record<string, string>> = {
  expense_ratio_of_size_pct: 'the assumption expense_ratio_* of its number of units, in percent',
  expense_adjustment_pct: 'the assumption expense_*_adjustment of its year of construction, in percent',
  tax_amount: 'the debts of distress_matches',
  sale_in_days: 'days from the data clock to the sale in distress_matches',
  offer_noi: 'noi_scoring, or the claim where offer_status says so',
  price_verified: 'a part of confidence_parts',
  units_known: 'a part of confidence_parts',
  rent_proxy: 'a part of confidence_parts',
  noi_source: 'a part of confidence_parts',
  agreement: 'a part of confidence_parts',
  reliability: 'a part of confidence_parts',
  year_built: 'a part of confidence_parts',
};

/** A step made again with the calculator. @returns null where it agrees, else what came out */
export function disagreement(step: Step): string | null {
  if (step.checkable === false || step.result === null) return null;
  const again = evaluate(step.formula, step.inputs);
  const decimals = step.result.split('.')[1]?.length ?? 0;
  const rounded = again.rounded(decimals);
  return rounded === step.result ? null : rounded;
}

const checked = (step: Step): string => {
  if (step.checkable === false) return '';
  const other = disagreement(step);
  return other === null ? ' (computed again: the same)' : ` (COMPUTED AGAIN: ${other})`;
};

/** The tree of a figure: its formula, and each input with where it comes from. A figure is opened once. */
function tree(e: Explanation, figure: string, indent: string, opened: Set<string>): string[] {
  const step = e.steps.find((s) => s.figure === figure);
  if (!step || opened.has(figure)) return [];
  opened.add(figure);
  const lines = [`${indent}= ${step.formula}${checked(step)}`];
  if (step.why) lines.push(`${indent}  ${step.why}`);
  for (const [name, value] of Object.entries(step.inputs)) {
    const nested = e.steps.find((s) => s.figure === name && s.result === value && s.figure !== figure);
    lines.push(
      `${indent}  ${name} = ${value ?? 'absent'}${nested ? (opened.has(name) ? '  (as above)' : '') : `  ${originOf(e, figure, name)}`}`,
    );
    if (nested) lines.push(...tree(e, name, `${indent}    `, opened));
  }
  return lines;
}

function originOf(e: Explanation, figure: string, name: string): string {
  const assumption = e.assumptions.get(name);
  if (assumption) return `assumption of ${assumption.set}, ${assumption.unit}, ${assumption.kind}: ${assumption.basis}`;
  const inside = INSIDE[name];
  if (inside !== undefined && (figure === 'confidence_score' || !(name in e.row))) return inside;
  const group = GROUPS[name] ?? (e.table === 'deals' ? 'listing' : null);
  const page = e.pages.findIndex((p) => p.gave === group);
  if (group === 'history') return 'from the versions of the listing, below';
  return page >= 0 ? `from page ${page + 1}` : e.pages.length > 0 ? 'from page 1' : '';
}

/** A line in as many as it takes: broken at blanks where there are any, the rest further in. */
export function wrapped(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const indent = `${/^ */u.exec(line)?.[0] ?? ''}  `;
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const blank = rest.lastIndexOf(' ', width);
    const at = blank > indent.length + width / 3 ? blank : width;
    lines.push(rest.slice(0, at));
    rest = `${indent}${rest.slice(at).trimStart()}`;
  }
  return [...lines, rest];
}

function pageLines(p: PageFound, number: number): string[] {
  const lines = [`[${number}] ${p.gave}${p.note === undefined ? '' : ` ${p.note}`}: ${p.url ?? ''}`];
  if (p.fetched_at === null) lines.push('    no request for these bytes is in the archive any more');
  else
    lines.push(
      `    fetched ${p.fetched_at} by run ${p.run_id ?? ''}: ${p.method ?? ''} ${p.status ?? ''} ${p.content_type ?? ''}, ${(p.bytes ?? 0).toLocaleString('en-US')} bytes as sent${p.confirmed_at === null ? '' : `; found unchanged ${p.confirmed_at}`}`,
    );
  lines.push(
    `    archived ${p.path}`,
    `    SHA-256 ${p.hash === 'verified' ? 'of the bytes verified' : `NOT VERIFIED: ${p.hash}`}`,
  );
  if (p.excerpt !== null)
    lines.push(
      `    row ${p.row ?? ''} of the page, as published:`,
      ...p.excerpt.split('\n').map((part) => `      ${part}`),
    );
  if (p.values !== null)
    lines.push(
      `    read as: ${Object.entries(p.values)
        .filter(([, v]) => v !== null && v !== undefined)
        .map(([k, v]) => `${k} ${typeof v === 'object' ? JSON.stringify(v) : String(v)}`)
        .join(', ')}`,
    );
  return lines;
}

const TITLE: Readonly<Record<string, (e: Explanation) => string>> = {
  deals: ({ row }) =>
    `${row['address'] ?? 'street hidden by its source'}, ${row['city'] ?? ''}, ${row['state'] ?? ''} ${row['zip'] ?? ''}`,
  leads: ({ row }) => `${row['lead_type'] ?? ''}, ${row['address'] ?? ''}, ${row['county'] ?? ''}`,
  signals: ({ row }) => `${row['parcel_id'] ?? ''}, ${row['address'] ?? 'no address yet'}, ${row['county'] ?? ''}`,
  auctions: ({ row }) => `${row['case_number'] ?? ''}, ${row['sale_date'] ?? ''}, ${row['county'] ?? ''}`,
  filings: ({ row }) => `${row['business_name'] ?? ''}, ${row['document_number'] ?? ''}`,
};
const SINGULAR = { deals: 'deal', leads: 'lead', signals: 'signal', auctions: 'auction', filings: 'filing' } as const;

/**
 * @param field the one field to walk back; without it every computed figure is named with its formula
 * @param width of the screen in characters
 * @throws SettingError naming the fields there are
 */
export function linesOf(e: Explanation, field?: string, width = Infinity): string[] {
  const lines = [`${SINGULAR[e.table]} ${e.id} in snapshot ${e.snapshot}: ${TITLE[e.table]?.(e) ?? ''}`, ''];
  if (field !== undefined) {
    const step = e.steps.find((s) => s.figure === field);
    if (!step && !(field in e.row))
      throw new SettingError(
        `FIELD is ${JSON.stringify(field)}, expected a field or figure of it: ${[...new Set([...e.steps.map((s) => s.figure), ...Object.keys(e.row)])].join(', ')}`,
      );
    const value = step ? step.result : e.row[field];
    lines.push(`${field} = ${value ?? 'absent'}`);
    const about = aboutField(e, field);
    if (about !== null) lines.push(`  ${about}`);
    lines.push(...(step ? tree(e, field, '  ', new Set()) : [`  ${originOf(e, field, field)}`]));
  } else if (e.steps.length > 0) {
    lines.push('Computed figures; FIELD=... walks one back');
    const widest = Math.max(...e.steps.map((s) => s.figure.length));
    for (const s of e.steps)
      lines.push(
        `  ${s.figure.padEnd(widest)}  ${(s.result ?? 'absent').padStart(14)}  = ${s.formula}${s.why ? `  (${s.why})` : ''}`,
      );
    const wrong = e.steps.filter((s) => disagreement(s) !== null);
    lines.push(
      wrong.length === 0
        ? `  all ${e.steps.filter((s) => s.checkable !== false).length} computed again from the inputs they name: the same`
        : `  COMPUTED AGAIN, NOT THE SAME: ${wrong.map((s) => s.figure).join(', ')}`,
    );
  } else lines.push('Every field is as its page has it.');
  if (e.history.length > 0 && (field === undefined || /price|days|motivation|seen|deal_score$/u.test(field))) {
    lines.push(
      '',
      'Versions of the listing',
      ...e.history.map(
        (h) =>
          `  ${h['version_first_seen']?.slice(0, 10) ?? ''} to ${h['version_last_seen']?.slice(0, 10) ?? ''}  ${(h['change'] ?? '').padEnd(12)} ${h['list_price'] ?? 'no price'}${h['gone_on'] === null ? '' : `, gone on ${h['gone_on'] ?? ''}`}`,
      ),
    );
  }
  if (e.links.length > 0)
    lines.push('', 'Rests on', ...e.links.map((l) => `  ${l.what}: make explain TABLE=${l.table} ID=${l.id}`));
  lines.push('', 'Pages', ...e.pages.flatMap((p, i) => pageLines(p, i + 1)));
  return lines.flatMap((line) => wrapped(line, width));
}
