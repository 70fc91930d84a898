/** The page on the interface: every endpoint with its price and parameters, and every reason an answer can be an error. */
import { openApi, templateOf } from '../../api/docs/openapi.ts';
import { paramFacts } from '../../api/routes/params.ts';
import { PROBLEMS } from '../../api/http/problem.ts';
import { mediaOf } from '../../api/routes/define.ts';
import { allRoutes } from '../../api/routes/all.ts';

const cell = (s: string): string => s.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Reasons of purchases whose payment may have been made. */
const OPEN_OUTCOMES = new Set(['settlement_unknown', 'settlement_pending']);

/** What a call refused for this reason costs. */
const billed = (reason: string): string => (OPEN_OUTCOMES.has(reason) ? 'not known yet: null' : 'no');

export function interfacePage(): string {
  const publicUrl = 'http://localhost:4021';
  const routes = allRoutes({ publicUrl, spoolDir: '' });
  const { paths } = openApi(routes, publicUrl) as {
    paths: Record<string, { get: { responses: Record<string, unknown> } }>;
  };
  const sections = routes.map((route) => {
    const path = templateOf(route);
    const params = Object.entries({ ...route.pathParams, ...route.params }).map(
      ([name, schema]) => `| \`${name}\` | ${cell(paramFacts(schema).about)} | ${cell(paramFacts(schema).expected)} |`,
    );
    return [
      `### GET ${path}`,
      `Price: ${route.price === null ? 'none' : `$${route.price}`}. ${route.about} Answers ${mediaOf(route)}.`,
      ...(params.length > 0 ? [['| parameter | meaning | accepted |', '|---|---|---|', ...params].join('\n')] : []),
      `Statuses: ${Object.keys(paths[path]?.get.responses ?? {}).join(', ')}.`,
    ].join('\n\n');
  });
  const problems = Object.entries(PROBLEMS).map(
    ([reason, { status, title }]) => `| \`${reason}\` | ${status} | ${cell(title)} | ${billed(reason)} |`,
  );
  return [
    '# The interface',
    'Written by `make docs` from the routes; do not edit. The fields of each record are in the [data dictionary](data-dictionary.md); the server describes itself at `/openapi.json`.',
    '## Endpoints',
    ...sections,
    '## Errors',
    'Every error is `application/problem+json` (RFC 9457) with a `reason` of this list and `billed`.',
    ['| reason | status | title | billed |', '|---|---|---|---|', ...problems].join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}
