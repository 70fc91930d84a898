/** Settings of the analyst's commands. docs/settings.md is generated from here. */
import { z } from 'zod';
import { pipelineSettings } from '../../lib/settings.ts';

/** Tables with rows that `make explain` explains, in the order in which an id is looked up. */
export const EXPLAINABLE = ['deals', 'leads', 'signals', 'auctions', 'filings'] as const;
export type Explainable = (typeof EXPLAINABLE)[number];

export const analystSettings = z.object({
  DATA_DIR: pipelineSettings.shape.DATA_DIR,
  SNAPSHOT: z
    .string()
    .default('current')
    .describe(
      '`make sql`, `query`, `explain`, `release`: snapshot: a run id, a day (its last run), current or previous.',
    ),
  Q: z.string().optional().describe('`make sql`: the query. Not set: print the `duckdb` command and the tables.'),
  FORMAT: z
    .enum(['table', 'csv', 'json'], 'table, csv or json')
    .default('table')
    .describe('`make sql Q=...`, `make query`: table for people, csv, or json with one object per line.'),
  NAME: z.string().optional().describe('`make query`: worked query of queries/. Not set: list them.'),
  ID: z
    .string()
    .optional()
    .describe(
      '`make explain`: id of a deal, lead, signal, auction or filing; or the SHA-256 of a page, for its bytes.',
    ),
  TABLE: z
    .enum(EXPLAINABLE, EXPLAINABLE.join(', '))
    .optional()
    .describe('`make explain`: table of the id, if two tables have it. Default: the first table that has it.'),
  FIELD: z
    .string()
    .optional()
    .describe('`make explain`: figure or field to trace to its sources. Default: list all computed figures.'),
});
