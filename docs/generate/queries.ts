/** docs/queries.md: the worked queries. */
import { workedQueries, type WorkedQuery } from '../../pipelines/analyse/queries.ts';

const COMMENTS = /^(?:--[^\n]*\n)+/u;

const sectionOf = ({ name, answers, checks, sql }: WorkedQuery): readonly string[] => [
  `## ${name}`,
  answers,
  ['```sql', sql.replace(COMMENTS, ''), '```'].join('\n'),
  ...(checks.length > 0 ? [`A test checks every row: ${checks.map((check) => `\`${check}\``).join(' and ')}.`] : []),
];

export const queriesPage = (): string =>
  [
    '# Worked queries',
    'For analysts: run or copy a query over a snapshot. Written by `make docs` from `queries/`; do not edit.',
    '`make query NAME=hidden_upside` runs one over the current snapshot; `FORMAT=csv` or `json` is for programs, ' +
      '`SNAPSHOT=2026-11-20` chooses another snapshot. To add a query, ' +
      'put a file into `queries/`: its first comment states the question and the conditions that every row satisfies.',
    ...workedQueries().flatMap(sectionOf),
  ].join('\n\n');
