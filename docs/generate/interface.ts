/** docs/interface.md: every endpoint with its price and parameters, and every reason for an error. */
import { openApi, templateOf } from '../../api/docs/openapi.ts';
import { PROBLEMS } from '../../api/http/problem.ts';
import { allRoutes } from '../../api/routes/all.ts';
import { mediaOf, type Route } from '../../api/routes/define.ts';
import { paramFacts } from '../../api/routes/params.ts';
import { priceText } from '../../lib/prices.ts';
import { purchasesOpenApi } from '../../api/routes/purchases.ts';

/** Reasons of purchases whose payment may have been made. */
const OPEN_OUTCOMES = new Set(['settlement_unknown', 'settlement_pending']);

interface Parameter {
  readonly name: string;
  /** List item that describes it. */
  readonly line: string;
}

const parametersOf = (route: Route): readonly Parameter[] =>
  Object.entries({ ...route.pathParams, ...route.params }).map(([name, schema]) => {
    const { about, expected } = paramFacts(schema);
    return { name, line: `- \`${name}\`: ${about} Accepts ${expected}.` };
  });

const named = (parameters: readonly Parameter[]): string => parameters.map(({ name }) => `\`${name}\``).join(', ');

/** For each name, its most frequent description, if several endpoints have it. */
function sharedLines(parameters: readonly Parameter[]): ReadonlySet<string> {
  const counts = new Map<string, Map<string, number>>();
  for (const { name, line } of parameters) {
    const ofName = counts.get(name) ?? new Map<string, number>();
    counts.set(name, ofName.set(line, (ofName.get(line) ?? 0) + 1));
  }
  return new Set(
    [...counts.values()].flatMap((ofName) => {
      const [[line, count] = ['', 0]] = [...ofName].sort(([, a], [, b]) => b - a);
      return count > 1 ? [line] : [];
    }),
  );
}

export function interfacePage(): string {
  const publicUrl = 'http://localhost:4021';
  const routes = allRoutes({ publicUrl, spoolDir: '' });
  const { paths } = openApi(routes, publicUrl) as {
    paths: Record<string, { get: { responses: Record<string, unknown> } }>;
  };
  const statusesOf = (path: string): string => Object.keys(paths[path]?.get.responses ?? {}).join(', ');
  const [meta = '', deals = ''] = ['/api/meta', '/api/deals'].map(statusesOf);
  const shared = sharedLines(routes.flatMap(parametersOf));
  const sections = routes.flatMap((route) => {
    const path = templateOf(route);
    const parameters = parametersOf(route);
    const common = parameters.filter(({ line }) => shared.has(line));
    const statuses = statusesOf(path);
    const media = `${mediaOf(route)}${route.csvColumns ? ', or text/csv if Accept prefers it' : ''}`;
    return [
      `### GET ${path}`,
      [
        `Price: ${priceText(route)}. ${route.about}`,
        ...(media === 'application/json' ? [] : [`Response: ${media}.`]),
        ...(statuses === meta || statuses === deals ? [] : [`Statuses: ${statuses}.`]),
        ...(common.length > 0 ? [`Shared parameters: ${named(common)}.`] : []),
      ].join(' '),
      parameters.flatMap(({ line }) => (shared.has(line) ? [] : [line])).join('\n'),
    ];
  });
  const others = Object.entries(purchasesOpenApi).flatMap(([path, { get }]) => [
    `### GET ${path}`,
    `Price: free. ${get.summary} Statuses: ${Object.keys(get.responses).join(', ')}.`,
    get.parameters.map(({ name, description }) => `- \`${name}\`: ${description}`).join('\n'),
  ]);
  return [
    '# Endpoints and errors',
    'For buyers and client authors: look up every endpoint, its price and parameters, and every error. Written by ' +
      '`make docs` from the routes; do not edit.',
    'The [data dictionary](data-dictionary.md) describes the fields of each record. A running server describes ' +
      'itself at `/openapi.json`.',
    '## Endpoints',
    `Responses are application/json unless stated. The statuses of a free endpoint are ${meta}, those of a paid one ` +
      `${deals}, unless stated.`,
    '### Shared parameters',
    [...shared].join('\n'),
    ...[...sections, ...others].filter((part) => part !== ''),
    '## Errors',
    'Every error is `application/problem+json` (RFC 9457) with `billed`, which is false unless stated, and one of ' +
      'these values of `reason`.',
    Object.entries(PROBLEMS)
      .map(([reason, { status, title }]) => {
        const open = OPEN_OUTCOMES.has(reason) ? '; `billed` is null, not known yet' : '';
        return `- ${status} \`${reason}\`: ${title}${open}.`;
      })
      .join('\n'),
  ].join('\n\n');
}
