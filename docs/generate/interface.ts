/** docs/interface.md: every endpoint with its price and parameters, and every reason for an error. */
import { openApi, templateOf } from '../../api/docs/openapi.ts';
import { PROBLEMS } from '../../api/http/problem.ts';
import { purchasesOpenApi } from '../../api/routes/purchases.ts';
import { allRoutes } from '../../api/routes/all.ts';
import { mediaOf } from '../../api/routes/define.ts';
import { priceText } from '../../api/routes/pricing.ts';
import { paramFacts } from '../../api/routes/params.ts';
import { cell, table } from '../../lib/markdown.ts';

/** Reasons of purchases whose payment may have been made. */
const OPEN_OUTCOMES = new Set(['settlement_unknown', 'settlement_pending']);

const billed = (reason: string): string => (OPEN_OUTCOMES.has(reason) ? 'not known yet: null' : 'no');

export function interfacePage(): string {
  const publicUrl = 'http://localhost:4021';
  const routes = allRoutes({ publicUrl, spoolDir: '' });
  const { paths } = openApi(routes, publicUrl) as {
    paths: Record<string, { get: { responses: Record<string, unknown> } }>;
  };
  const sections = routes.flatMap((route) => {
    const path = templateOf(route);
    const params = Object.entries({ ...route.pathParams, ...route.params }).map(([name, schema]) => {
      const { about, expected } = paramFacts(schema);
      return [`\`${name}\``, cell(about), cell(expected)];
    });
    return [
      `### GET ${path}`,
      `Price: ${priceText(route)}. ${route.about}`,
      ...(params.length > 0 ? [table(['parameter', 'meaning', 'accepted'], params)] : []),
      `Response: ${mediaOf(route)}${route.csvColumns ? ', or text/csv if Accept prefers it' : ''}. ` +
        `Statuses: ${Object.keys(paths[path]?.get.responses ?? {}).join(', ')}.`,
    ];
  });
  const others = Object.entries(purchasesOpenApi).flatMap(([path, { get }]) => [
    `### GET ${path}`,
    `Price: free. ${get.summary}`,
    table(
      ['parameter', 'meaning'],
      get.parameters.map(({ name, description }) => [`\`${name}\``, cell(description)]),
    ),
    `Statuses: ${Object.keys(get.responses).join(', ')}.`,
  ]);
  return [
    '# Endpoints and errors',
    'For buyers and client authors: look up every endpoint, its price and parameters, and every error. Written by ' +
      '`make docs` from the routes; do not edit.',
    'The [data dictionary](data-dictionary.md) describes the fields of each record. A running server describes ' +
      'itself at `/openapi.json`.',
    '## Endpoints',
    ...sections,
    ...others,
    '## Errors',
    'Every error is `application/problem+json` (RFC 9457) with `billed` and one of these values of `reason`.',
    table(
      ['reason', 'status', 'title', 'billed'],
      Object.entries(PROBLEMS).map(([reason, { status, title }]) => [
        `\`${reason}\``,
        String(status),
        cell(title),
        billed(reason),
      ]),
    ),
  ].join('\n\n');
}
