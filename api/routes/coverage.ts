/** GET /api/coverage: the kinds of records that are read in each metro. Free. */
import { z } from 'zod';
import { COVERED_KINDS } from '../../models/fields.ts';
import { Coverage } from '../../models/marts/coverage.ts';
import { Problem } from '../http/problem.ts';
import { cachePerSnapshot } from '../serving/memo.ts';
import type { Snapshot } from '../serving/open.ts';
import { defineRoute } from './define.ts';
import { noteOf, dataOf, PUBLISHED, publishedOf } from './envelope.ts';
import { choiceParam, textParam } from './params.ts';

export const COVERAGE_PATH = '/api/coverage';

const NOTE =
  'One record per metro and kind. A property without a record is known to have none only where the kind is covered; ' +
  'for a kind that is not covered, why gives the reason.';

const kinds = z.array(z.enum(COVERED_KINDS));

/** Kinds of one metro by status. */
export const MetroCoverage = z.strictObject({
  metro: z.string(),
  covered: kinds,
  partly_covered: kinds,
  not_covered: kinds,
});
type MetroCoverage = z.infer<typeof MetroCoverage>;

/** Kinds of every metro by status, in the order of the records. */
export const coverageByMetro = cachePerSnapshot(async (snapshot: Snapshot): Promise<readonly MetroCoverage[]> => {
  const rows = snapshot.all('coverage');
  return [...Map.groupBy(rows, ({ metro }) => String(metro))].map(([metro, ofMetro]) => {
    const kindsOf = (status: string): MetroCoverage['covered'] =>
      kinds.parse(ofMetro.filter((row) => row['status'] === status).map(({ kind }) => kind));
    return {
      metro,
      covered: kindsOf('covered'),
      partly_covered: kindsOf('partly_covered'),
      not_covered: kindsOf('not_covered'),
    };
  });
});

export const coverage = defineRoute({
  name: 'coverage',
  path: COVERAGE_PATH,
  price: null,
  about:
    'Free coverage by metro and kind of record: sources with their terms, first read, number of rows, age and join ' +
    'rates, or the reason why a kind is not read.',
  params: {
    metro: textParam('Part of the name of the metro, ignoring case.'),
    kind: choiceParam(COVERED_KINDS, 'Kind of record.'),
  },
  reasons: ['no_matches'],
  response: z.strictObject({
    note: z.string(),
    count: z.int().min(1),
    ...PUBLISHED,
    filters: z.record(z.string(), z.unknown()),
    records: z.array(Coverage.schema),
  }),
  async handle({ snapshot, manifest, params }) {
    const name = params.metro?.toLowerCase() ?? '';
    const records = snapshot
      .all('coverage')
      .filter(({ metro }) => String(metro).toLowerCase().includes(name))
      .filter(({ kind }) => params.kind === undefined || kind === params.kind);
    if (records.length === 0)
      throw new Problem('no_matches', 'No metro has this text in its name.', {
        filters: { ...params },
        metros: (await coverageByMetro(snapshot)).map(({ metro }) => metro),
        ...dataOf(manifest),
      });
    return {
      ...noteOf(manifest, NOTE),
      count: records.length,
      ...publishedOf(manifest),
      filters: { ...params },
      records,
    };
  },
});
