/** docs/interface.md: every endpoint with its price and parameters, and every reason for an error. */
import { collectOperation, openApi } from '../../api/docs/openapi.ts';
import { PROBLEMS } from '../../api/http/problem.ts';
import { allRoutes } from '../../api/routes/all.ts';
import { mediaOf, templateOf, type Route } from '../../api/routes/define.ts';
import { paramFacts } from '../../api/routes/params.ts';
import { priceText } from '../../lib/prices.ts';

/** Reasons of purchases whose payment may have been made. */
const OPEN_OUTCOMES = new Set(['settlement_unknown', 'settlement_pending']);

const USUAL_TEXT = 'text of 1 to 200 characters, none of them a control character';
/** Prefix of the endpoints of one register. */
const REGISTER = /^\/(?:ohio|colorado)(?=\/)/u;

interface Parameter {
  readonly name: string;
  /** List item that describes it. */
  readonly line: string;
}

/** List item of a parameter. The head of the page says what texts, limits and fields have in common. */
function lineOf(name: string, { about, expected }: ReturnType<typeof paramFacts>): string {
  const page = /^Records per page; default (\d+)\. Same price/u.exec(about);
  if (page) return `- \`${name}\`: default ${page[1] ?? ''}.`;
  const chosen = /^Fields and groups of fields .*; default (.+)\.$/u.exec(about);
  const groups = /^fields or the (groups .+), with commas between them$/u.exec(expected);
  if (chosen && groups) return `- \`${name}\`: ${groups[1] ?? ''}; default ${chosen[1] ?? ''}.`;
  return `- \`${name}\`: ${about}${expected === USUAL_TEXT ? '' : ` Accepts ${expected}.`}`;
}

const parametersOf = (route: Route): readonly Parameter[] =>
  Object.entries({ ...route.pathParams, ...route.params }).map(([name, schema]) => ({
    name,
    line: lineOf(name, paramFacts(schema)),
  }));

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
  const routes = allRoutes({ publicUrl });
  const { paths } = openApi(routes, publicUrl) as {
    paths: Record<string, { get: { responses: Record<string, unknown> } }>;
  };
  const statusesOf = (path: string): readonly string[] => Object.keys(paths[path]?.get.responses ?? {});
  const [meta = [], deals = []] = ['/api/meta', '/api/deals'].map(statusesOf);
  const shared = sharedLines(routes.flatMap(parametersOf));
  const ofOneRegister = routes.map(templateOf).filter((path) => REGISTER.test(path));
  const sections = routes.flatMap((route) => {
    const path = templateOf(route);
    if (REGISTER.test(path)) return [];
    const parameters = parametersOf(route);
    const common = parameters.filter(({ line }) => shared.has(line));
    const usual = route.price === null ? meta : deals;
    const statuses = statusesOf(path).filter((status) => !usual.includes(status));
    const media = mediaOf(route);
    return [
      `### GET ${path}`,
      [
        `Price: ${priceText(route)}. ${route.about}`,
        ...(media === 'application/json' ? [] : [`Response: ${media}.`]),
        ...(route.csvColumns ? ['Also as CSV.'] : []),
        ...(statuses.length === 0 ? [] : [`Also ${statuses.join(', ')}.`]),
        ...(common.length > 0 ? [`Shared parameters: ${named(common)}.`] : []),
      ].join(' '),
      parameters.flatMap(({ line }) => (shared.has(line) ? [] : [line])).join('\n'),
    ];
  });
  const { summary, responses, parameters: ofCollect } = collectOperation;
  const others = [
    '### GET /api/purchases/{id}',
    `Price: free. ${summary} Statuses: ${Object.keys(responses).join(', ')}.`,
    ofCollect.map(({ name, description }) => `- \`${name}\`: ${description}`).join('\n'),
  ];
  return [
    '# Endpoints and errors',
    'For buyers and client authors: look up every endpoint, its price and parameters, and every error. Written by ' +
      '`make docs` from the routes; do not edit.',
    'The [data dictionary](data-dictionary.md) describes the fields of each record. A running server describes ' +
      'itself at `/openapi.json`.',
    '## Endpoints',
    `Responses are application/json, or text/csv if Accept prefers it and "Also as CSV" is stated. A free endpoint ` +
      `answers ${meta.join(', ')}, a paid one ${deals.join(', ')}, and what is stated.`,
    `A parameter accepts ${USUAL_TEXT} unless stated. \`limit\` is the number of records on a page, from 1 to 500 at ` +
      'the same price. `fields` names fields and groups, with commas, to return besides `id` and `absent`.',
    '### Shared parameters',
    [...shared].join('\n'),
    ...[...sections, ...others].filter((part) => part !== ''),
    '### One register',
    `${ofOneRegister.map((path) => `\`GET ${path}\``).join(', ')}: the same endpoints for one register, at the ` +
      'same price, without the filter `state`.',
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
