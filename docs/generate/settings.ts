/** docs/settings.md: every setting of the commands and of the server, from its schema. */
import { z } from 'zod';
import { auditArguments } from '../../api/payments/audit/settings.ts';
import { receiptKeySettings } from '../../api/payments/receipts/key_settings.ts';
import { serverSettings } from '../../api/settings.ts';
import { ledgerArguments } from '../../ledger/settings.ts';
import { pipelineSettings, rebuildSettings } from '../../lib/settings.ts';
import { analystSettings } from '../../pipelines/analyse/settings.ts';
import { calibrateSettings } from '../../pipelines/commands/calibrate_settings.ts';
import { workerSettings } from '../../pipelines/crawl/settings.ts';
import { backUpSettings, restoreSettings } from '../../pipelines/operate/backup/settings.ts';
import { operatorSettings, statusArguments, writeArguments } from '../../pipelines/operate/settings.ts';
import { probeSettings } from '../../pipelines/probe/probe_sources.ts';
import { cell, table } from '../../lib/markdown.ts';

const SECTIONS: readonly (readonly [title: string, settings: z.ZodObject])[] = [
  ['Pipeline and sandbox', pipelineSettings],
  ['Server', serverSettings.omit({ DATA_DIR: true, LEDGER: true, STORE: true, STORE_CACHE_MB: true })],
  ['Receipt keys', receiptKeySettings.omit({ RECEIPT_KEY_FILE: true })],
  ['Operating', operatorSettings.extend(statusArguments.shape).extend(writeArguments.shape)],
  ['Backup', backUpSettings.extend(restoreSettings.shape)],
  ['Workers and rebuild', workerSettings.extend(rebuildSettings.shape)],
  ['Probe', probeSettings],
  ['Analysis', analystSettings.extend(calibrateSettings.shape)],
  ['Ledger', ledgerArguments.extend(auditArguments.shape)],
];

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
    'For users and operators: look up any setting, its default and its meaning. Written by `make docs` from the ' +
      'schemas; do not edit.',
    'A setting is an environment variable or a word after the command: `make run DAY=2026-11-21`. A wrong value ends ' +
      'the command with one line and exit status 1. The server also reads `DATA_DIR`, `LEDGER`, `STORE` ' +
      'and `STORE_CACHE_MB`. Settings of the MCP client are in [agents](agents.md#settings).',
    ...SECTIONS.flatMap(([title, settings]) => [
      `## ${title}`,
      table(['setting', 'default', 'meaning'], rowsOf(settings)),
    ]),
  ].join('\n\n');
