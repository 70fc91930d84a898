/** The page on the worked queries, from the queries themselves. */
import { workedQueries } from '../../pipelines/analyse/queries.ts';

/** docs/queries.md. */
export function queriesPage(): string {
  const sections = workedQueries().map((q) =>
    [
      `## ${q.name}`,
      '',
      q.answers,
      '',
      '```sql',
      q.sql.replace(/^(?:--[^\n]*\n)+/u, ''),
      '```',
      ...(q.checks.length > 0
        ? ['', `A test holds it against a snapshot: of every row, ${q.checks.map((c) => `\`${c}\``).join(' and ')}.`]
        : []),
    ].join('\n'),
  );
  return [
    '# Worked queries',
    'Written by `make docs` from `queries/`; do not edit. `make query NAME=hidden_upside` answers one over the current snapshot, `FORMAT=csv` or `json` for programs, `SNAPSHOT=2026-11-20` over another; ' +
      'in `make sql` it is `.query hidden_upside`. A file put into `queries/` is found by its name; its first comment says what it answers and what must hold of its rows.',
    ...sections,
  ]
    .join('\n\n')
    .concat('\n');
}
