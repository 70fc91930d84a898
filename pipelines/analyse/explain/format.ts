/** Formats an explanation for people. */
import { SettingError } from '../../../lib/settings.ts';
import { noteOf } from '../../../lib/record.ts';
import type { Explanation } from './explain.ts';
import { wrapLine } from '../../wrap.ts';
import { evaluate } from './formula.ts';
import { formatPage } from './format_page.ts';
import { describeOrigin } from './origin.ts';
import type { Fields, Step } from './steps.ts';

/** Recompute a step. @returns null if the result is the same, else the recomputed value */
export function recomputedDifference(step: Step): string | null {
  if (step.checkable === false || step.result === null) return null;
  const decimals = step.result.split('.')[1]?.length ?? 0;
  const recomputed = evaluate(step.formula, step.inputs).rounded(decimals);
  return recomputed === step.result ? null : recomputed;
}

function formatCheck(step: Step): string {
  if (step.checkable === false) return '';
  const recomputed = recomputedDifference(step);
  return recomputed === null ? ' (recomputed: identical)' : ` (RECOMPUTED: ${recomputed})`;
}

/** A figure's formula and its inputs with their origins, down to published values. Each figure is expanded once. */
function formatTree(explanation: Explanation, figure: string, indent: string, expanded: Set<string>): string[] {
  const step = explanation.steps.find((each) => each.figure === figure);
  if (!step || expanded.has(figure)) return [];
  expanded.add(figure);
  const lines = [`${indent}= ${step.formula}${formatCheck(step)}`];
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
function formatField(explanation: Explanation, field: string, producer: string | undefined): string[] {
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
    ...(step ? formatTree(explanation, field, '  ', new Set()) : [`  ${describeOrigin(explanation, field, field)}`]),
    ...(producer === undefined ? [] : [`  ${producer}`]),
  ];
}

/** Every computed figure with its formula, and whether all were recomputed with the same result. */
function formatFigures({ steps }: Explanation): string[] {
  if (steps.length === 0) return ['Every field is as published on its page.'];
  const widest = Math.max(...steps.map((step) => step.figure.length));
  const figures = steps.map((step) => {
    const why = step.why ? `  (${step.why})` : '';
    return `  ${step.figure.padEnd(widest)}  ${(step.result ?? 'absent').padStart(14)}  = ${step.formula}${why}`;
  });
  const different = steps.filter((step) => recomputedDifference(step) !== null).map((step) => step.figure);
  const recomputed = steps.filter((step) => step.checkable !== false).length;
  return [
    'Computed figures; FIELD=... traces one to its sources',
    ...figures,
    different.length === 0
      ? `  all ${recomputed} recomputed from their inputs: identical`
      : `  RECOMPUTED WITH ANOTHER RESULT: ${different.join(', ')}`,
  ];
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
 * @param screen its width in characters, and where the field comes from in words
 * @throws SettingError listing the fields if `field` is not one
 */
export function formatExplanation(
  explanation: Explanation,
  field?: string,
  { width = Infinity, producer }: { readonly width?: number; readonly producer?: string | undefined } = {},
): string[] {
  const title = TITLES[explanation.table]?.(explanation.row) ?? '';
  const lines = [
    `${SINGULAR[explanation.table]} ${explanation.id} in snapshot ${explanation.snapshot}: ${title}`,
    '',
    ...(field === undefined ? formatFigures(explanation) : formatField(explanation, field, producer)),
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
  return lines.flatMap((line) => wrapLine(line, width));
}
