/** Settings of the analyst's commands. docs/settings.md is generated from here. */
import { z } from 'zod';
import { pipelineSettings } from '../../lib/settings.ts';

/** Tables whose rows can be walked back, in the order in which an id is looked for. */
export const EXPLAINABLE = ['deals', 'leads', 'signals', 'auctions', 'filings'] as const;

export const analystSettings = z.object({
  DATA_DIR: pipelineSettings.shape.DATA_DIR,
  SNAPSHOT: z
    .string()
    .default('current')
    .describe(
      '`make sql`, `query`, `explain`, `profile`: snapshot to look at: a run id, a day (its last run), current or previous.',
    ),
  Q: z.string().optional().describe('`make sql`: one query to answer instead of a prompt.'),
  FORMAT: z
    .enum(['table', 'csv', 'json'], 'table, csv or json')
    .default('table')
    .describe('`make sql Q=...`, `make query`: table for people, csv, or json with one object a line.'),
  NAME: z.string().optional().describe('`make query`: worked query of queries/ to answer. Not set: they are listed.'),
  ID: z.string().optional().describe('`make explain`: id of a deal, lead, signal, auction or filing.'),
  TABLE: z
    .enum(EXPLAINABLE, EXPLAINABLE.join(', '))
    .optional()
    .describe(
      '`make explain`: table of the id, where two have it: a lead of a tax delinquency has the id of its signal. Default: the first that has it.',
    ),
  FIELD: z
    .string()
    .optional()
    .describe('`make explain`: the one figure or field to walk back. Default: all computed ones are named.'),
  A: z.string().default('previous').describe('`make diff`: the older snapshot: a run id, a day, current or previous.'),
  B: z.string().default('current').describe('`make diff`: the newer snapshot.'),
  OUT: z
    .string()
    .min(1, 'a file')
    .optional()
    .describe(
      '`make diff`: file for every change, .ndjson or .parquet. `make profile`: file of the report; default there: profile.html in DATA_DIR.',
    ),
});
