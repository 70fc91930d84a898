/** Formats an explanation for people. */
import { noteOf } from '../../../lib/record.ts';
import { SettingError } from '../../../lib/settings.ts';
import { number } from '../../format.ts';
import type { Explanation, Fields, PageFound } from './explain.ts';

/** A figure's formula and its inputs with their origins, down to published values. Each figure is expanded once. */
function formatTree(explanation: Explanation, figure: string, indent: string, expanded: Set<string>): string[] {
  const step = explanation.steps.find((each) => each.figure === figure);
  if (!step || expanded.has(figure)) return [];
  expanded.add(figure);
  const lines = [`${indent}= ${step.formula}`];
  if (step.when) lines.push(`${indent}  when ${step.when}`);
  if (step.why) lines.push(`${indent}  ${step.why}`);
  for (const [name, value] of Object.entries(step.inputs)) {
    const isFigure = explanation.steps.some(
      (each) => each.figure === name && each.result === value && each.figure !== figure,
    );
    const origin = !isFigure
      ? `  ${describeOrigin(explanation, figure, name)}`
      : expanded.has(name)
        ? '  (see above)'
        : '';
    lines.push(`${indent}  ${name} = ${value ?? 'absent'}${origin}`);
    if (isFigure) lines.push(...formatTree(explanation, name, `${indent}    `, expanded));
  }
  return lines;
}

const TITLES: Readonly<Record<string, (row: Fields) => string>> = {
  deals: (row) => {
    const place = `${row['city'] ?? ''}, ${row['state'] ?? ''} ${row['zip'] ?? ''}`;
    return `${row['address'] ?? 'street hidden by its source'}, ${place}`;
  },
  leads: (row) => `${row['lead_type'] ?? ''}, ${row['address'] ?? ''}, ${row['county'] ?? ''}`,
  signals: (row) => `${row['parcel_id'] ?? ''}, ${row['address'] ?? 'no address yet'}, ${row['county'] ?? ''}`,
  auctions: (row) => `${row['case_number'] ?? ''}, ${row['sale_date'] ?? ''}, ${row['county'] ?? ''}`,
  filings: (row) => `${row['business_name'] ?? ''}, ${row['document_number'] ?? ''}`,
};
const SINGULAR = { deals: 'deal', leads: 'lead', signals: 'signal', auctions: 'auction', filings: 'filing' } as const;

/** One field: its value, its description, where it comes from, and the model that computes or reads it. */
function formatField(explanation: Explanation, field: string, origin: string): string[] {
  const step = explanation.steps.find((each) => each.figure === field);
  if (!step && !(field in explanation.row)) {
    const names = [...new Set([...explanation.steps.map((each) => each.figure), ...Object.keys(explanation.row)])].join(
      ', ',
    );
    throw new SettingError(`FIELD is ${JSON.stringify(field)}, expected a field or figure of the row: ${names}`);
  }
  const value = step ? step.result : explanation.row[field];
  const column = explanation.columns.find((each) => each.name === field);
  return [
    `${field} = ${value ?? 'absent'}`,
    ...(column ? [`  ${noteOf(column)}`] : []),
    ...(step ? formatTree(explanation, field, '  ', new Set()) : []),
    ...(origin === '' ? [] : [`  ${origin}`]),
  ];
}

/** Every computed figure with its formula. */
function formatFigures({ steps }: Explanation): string[] {
  if (steps.length === 0) return ['Every field is as published on its page.'];
  const widest = Math.max(...steps.map((step) => step.figure.length));
  const figures = steps.map((step) => {
    const why = step.why ? `  (${step.why})` : '';
    return `  ${step.figure.padEnd(widest)}  ${step.result.padStart(14)}  = ${step.formula}${why}`;
  });
  return ['Computed figures; FIELD=... traces one to its sources', ...figures];
}

function formatVersion(version: Fields): string {
  const [from, to] = [version['version_first_seen'], version['version_last_seen']].map(
    (instant) => instant?.slice(0, 10) ?? '',
  );
  const gone = version['gone_on'] === null ? '' : `, gone on ${version['gone_on'] ?? ''}`;
  return `  ${from} to ${to}  ${(version['change'] ?? '').padEnd(12)} ${version['list_price'] ?? 'no price'}${gone}`;
}

/**
 * @param field the only field to trace; without it all computed figures are listed
 * @param origin where the field comes from in words (fieldOrigin)
 * @throws SettingError listing the fields if `field` is not one
 */
export function formatExplanation(explanation: Explanation, field?: string, origin = ''): string[] {
  const title = TITLES[explanation.table]?.(explanation.row) ?? '';
  const lines = [
    `${SINGULAR[explanation.table]} ${explanation.id} in snapshot ${explanation.snapshot}: ${title}`,
    '',
    ...(field === undefined ? formatFigures(explanation) : formatField(explanation, field, origin)),
  ];
  const dependsOnHistory = field === undefined || /price|days|motivation|seen|deal_score$/u.test(field);
  if (explanation.history.length > 0 && dependsOnHistory)
    lines.push('', 'Versions of the listing', ...explanation.history.map(formatVersion));
  if (explanation.links.length > 0)
    lines.push(
      '',
      'Related rows',
      ...explanation.links.map((link) => `  ${link.relation}: make explain TABLE=${link.table} ID=${link.id}`),
    );
  lines.push('', 'Pages', ...explanation.pages.flatMap((page, index) => formatPage(page, index + 1)));
  return lines;
}

function formatRequest({ fetched, last }: PageFound): string {
  if (!fetched) return 'the archive no longer has a request for these bytes';
  const { observedAt, runId, method, status, responseHeaders, bytes } = fetched;
  const answer = `${method} ${status} ${responseHeaders['content-type'] ?? ''}, ${number(bytes)} bytes as sent`;
  const confirmed = last && last.observedAt !== observedAt ? `; unchanged on ${last.observedAt}` : '';
  return `fetched ${observedAt} by run ${runId}: ${answer}${confirmed}`;
}

function formatValues(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}

function formatPage(page: PageFound, position: number): string[] {
  const note = page.note === undefined ? '' : ` ${page.note}`;
  const lines = [
    `[${position}] ${page.role}${note}: ${page.url ?? ''}`,
    ...(page.file === null ? [] : [`    dropped file ${page.file}`]),
    `    ${formatRequest(page)}`,
    `    SHA-256 ${page.sha256} ${page.hash === 'verified' ? 'verified' : `NOT VERIFIED: ${page.hash}`}`,
  ];
  if (page.excerpt !== null) {
    lines.push(`    row ${page.row ?? ''} of the page, as published:`);
    lines.push(...page.excerpt.split('\n').map((part) => `      ${part}`));
  }
  if (page.values !== null) lines.push(`    parsed as: ${formatValues(page.values)}`);
  return lines;
}

/** Origin of an input: the assumption, or the pages and tables from which it comes. */
function describeOrigin({ assumptions, origins }: Explanation, figure: string, name: string): string {
  const assumption = assumptions.get(name);
  if (!assumption) return origins.get(`${figure}.${name}`) ?? '';
  const { assumption_set_id: set, unit, kind, basis } = assumption;
  return `assumption of ${set}, ${unit}, ${kind}: ${basis}`;
}
