/** docs/settings.md: every setting of the commands and the server, and the arguments of commands, from the schemas. */
import { z } from 'zod';
import { auditArguments } from '../../api/payments/audit/settings.ts';
import { receiptKeySettings } from '../../api/payments/receipts/keys.ts';
import { serverSettings } from '../../api/settings.ts';
import { ledgerArguments } from '../../ledger/settings.ts';
import { cell, table } from '../../lib/markdown.ts';
import { pipelineSettings, rebuildSettings } from '../../lib/settings.ts';
import { analystSettings } from '../../pipelines/analyse/settings.ts';
import { calibrateSettings } from '../../pipelines/commands/calibrate.ts';
import { backUpSettings, restoreSettings } from '../../pipelines/operate/backup/settings.ts';
import { operatorSettings, statusArguments, writeArguments } from '../../pipelines/operate/settings.ts';
import { probeSettings } from '../../pipelines/commands/probe.ts';

/** What one run reads, and the size of the sandbox world. */
const RUN_ARGUMENTS = {
  DAY: true,
  SOURCES: true,
  SEED: true,
  LISTINGS: true,
  PARCELS: true,
  AUCTIONS: true,
  FILINGS: true,
} as const;
const SHARED = { DATA_DIR: true, LEDGER: true } as const;

/** Settings: what an operator sets once, by group. */
const SETTINGS: readonly (readonly [title: string, settings: z.ZodObject])[] = [
  ['Data and sources', pipelineSettings.omit(RUN_ARGUMENTS)],
  ['Server and payments', serverSettings.omit({ ...SHARED, STORE: true })],
  ['Operation', operatorSettings.extend(backUpSettings.pick({ KEEP_BACKUPS: true, WITHOUT_LEDGER: true }).shape)],
];

/** Arguments of one command. */
const ARGUMENTS: z.ZodObject = pipelineSettings
  .pick(RUN_ARGUMENTS)
  .extend(writeArguments.shape)
  .extend(statusArguments.shape)
  .extend(rebuildSettings.shape)
  .extend(backUpSettings.omit({ ...SHARED, KEEP_BACKUPS: true, WITHOUT_LEDGER: true }).shape)
  .extend(restoreSettings.omit({ ...SHARED, WITHOUT_LEDGER: true }).shape)
  .extend(analystSettings.omit({ DATA_DIR: true }).shape)
  .extend(calibrateSettings.shape)
  .extend(receiptKeySettings.omit({ RECEIPT_KEY_FILE: true }).shape)
  .extend(ledgerArguments.shape)
  .extend({
    SOURCE: z
      .string()
      .optional()
      .describe(
        `${String(rebuildSettings.shape.SOURCE.description)} ${String(probeSettings.shape.SOURCE.description)}`,
      ),
  })
  .extend(auditArguments.shape);

/** The default as a user would type it; empty where there is none. */
function defaultOf(schema: z.ZodType): string {
  const asTyped = schema instanceof z.ZodPipe ? (schema.in as z.ZodType) : schema;
  const parsed = asTyped.safeParse(undefined);
  if (!parsed.success || parsed.data === undefined) return '';
  return `\`${String(parsed.data === false ? 0 : parsed.data)}\``;
}

const rowsOf = (settings: z.ZodObject): string[][] =>
  Object.entries(settings.shape).map(([name, schema]) => {
    const field = schema as z.ZodType;
    return [`\`${name}\``, defaultOf(field), cell(field.description ?? '')];
  });

export const settingsPage = (): string =>
  [
    '# Settings',
    'For users and operators: look up any setting or argument, its default and its meaning. Written by `make docs` ' +
      'from the schemas; do not edit.',
    'A setting is an environment variable, or follows a command: `make run LIVE=1`. A wrong value ends the command ' +
      'with one line and exit status 1. Settings of the MCP client are in [agents](agents.md#settings).',
    ...SETTINGS.flatMap(([title, settings]) => [
      `## ${title}`,
      table(['setting', 'default', 'meaning'], rowsOf(settings)),
    ]),
    '## Arguments of commands',
    table(['argument', 'default', 'meaning'], rowsOf(ARGUMENTS)),
  ].join('\n\n');
