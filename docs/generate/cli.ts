/**
 * `make docs`: the parts of the documentation that follow from declarations. With --check it writes nothing and
 * fails where a file is not what the declarations say; a test runs it so.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { serverSettings } from '../../api/settings.ts';
import { noteOf } from '../../lib/record.ts';
import { pipelineSettings, reparseSettings } from '../../lib/settings.ts';
import { auditSettings } from '../../api/payments/audit/settings.ts';
import { backupSettings, reportSettings } from '../../ledger/settings.ts';
import { analystSettings } from '../../pipelines/analyse/settings.ts';
import { workerSettings } from '../../pipelines/crawl/settings.ts';
import { operatorSettings, retentionSettings } from '../../pipelines/operate/settings.ts';
import { loadModels } from '../../models/index.ts';
import { findSources, loadSources } from '../../sources/index.ts';
import { queriesPage } from './queries.ts';
import { commandsPage } from './commands.ts';
import { interfacePage } from './interface.ts';
import { sourcesPage } from './sources.ts';
import { underwritingPage } from './underwriting.ts';

const root = new URL('../../', import.meta.url);
const cell = (s: string): string => s.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Settings as a table: name, default, meaning. */
function settingsTable(shape: z.ZodObject): string {
  const rows = Object.entries(shape.shape).map(([name, schema]) => {
    const field = schema as z.ZodType;
    const byDefault = field.safeParse(undefined);
    const shown =
      byDefault.success && byDefault.data !== undefined
        ? `\`${String(byDefault.data === false ? 0 : byDefault.data)}\``
        : '';
    return `| \`${name}\` | ${shown} | ${cell(field.description ?? '')} |`;
  });
  return ['| setting | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

async function sourcesTable(): Promise<string> {
  const rows = (await loadSources()).map(
    (s) =>
      `| \`${s.name}\` | ${s.family} | ${cell(s.title)} | every ${s.everyDays} d | ${s.terms.basis.replaceAll('_', ' ')} | ${s.drop?.length ? 'yes' : ''} |`,
  );
  return ['| source | family | what | cadence | terms | drop folder |', '|---|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

/** Every column of every published table, with its note. */
async function dataDictionary(): Promise<string> {
  const models = await loadModels();
  const published = models.filter((m) => m.contract.publish);
  const between = models.filter((m) => !m.contract.publish).flatMap((m) => m.contract.audits);
  const sections = published.map(({ name, contract }) =>
    [
      `## ${name}`,
      '',
      contract.record.about,
      '',
      `Key: ${contract.record.key.map((k) => `\`${k}\``).join(', ')}. File: \`${name}.parquet\`.`,
      '',
      '| column | type | meaning |',
      '|---|---|---|',
      ...contract.record.columns.map((c) => `| \`${c.name}\` | ${c.sql} | ${cell(noteOf(c))} |`),
      '',
      '| audit | holds when no row is found | stops publication |',
      '|---|---|---|',
      ...contract.audits.map((a) => `| \`${a.name}\` | ${cell(a.about)} | ${a.blocking ? 'yes' : 'no'} |`),
    ].join('\n'),
  );
  const betweenSection = [
    '## Steps between',
    '',
    'Models that are not published have audits too.',
    '',
    '| audit | holds when no row is found | stops publication |',
    '|---|---|---|',
    ...between.map((a) => `| \`${a.name}\` | ${cell(a.about)} | ${a.blocking ? 'yes' : 'no'} |`),
  ].join('\n');
  return [
    '# Data dictionary',
    'Written by `make docs` from the record definitions; do not edit. Every table also gets the audits that follow from its record: unique key, no null without an absence rule, closed lists of values.',
    ...sections,
    betweenSection,
  ]
    .join('\n\n')
    .concat('\n');
}

/** Text between the markers of a section replaced; the markers stay. */
function withSection(text: string, name: string, content: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`README.md has no section ${open} … ${close}`);
  return `${text.slice(0, start + open.length)}\n${content}\n${text.slice(end)}`;
}

const checking = process.argv.includes('--check');
const readmePath = fileURLToPath(new URL('README.md', root));
const readme = await readFile(readmePath, 'utf8');
const files: [string, string][] = [
  [fileURLToPath(new URL('docs/data-dictionary.md', root)), await dataDictionary()],
  [fileURLToPath(new URL('docs/commands.md', root)), commandsPage()],
  [fileURLToPath(new URL('docs/interface.md', root)), interfacePage()],
  [fileURLToPath(new URL('docs/sources.md', root)), await sourcesPage(await findSources())],
  [fileURLToPath(new URL('docs/queries.md', root)), queriesPage()],
  [fileURLToPath(new URL('docs/underwriting.md', root)), underwritingPage()],
  [
    readmePath,
    [
      ['sources', await sourcesTable()],
      [
        'pipeline settings',
        settingsTable(
          pipelineSettings
            .extend(workerSettings.shape)
            .extend(reparseSettings.shape)
            .extend(operatorSettings.shape)
            .extend(retentionSettings.shape)
            .extend(analystSettings.shape)
            .extend(reportSettings.shape)
            .extend(backupSettings.shape)
            .extend(auditSettings.omit({ RPC_URL: true, PAY_TO: true }).shape),
        ),
      ],
      ['server settings', settingsTable(serverSettings)],
    ].reduce((text, [name, content]) => withSection(text, name ?? '', content ?? ''), readme),
  ],
];
for (const [path, content] of files) {
  const found = await readFile(path, 'utf8').catch(() => '');
  if (found === content) continue;
  if (checking) {
    process.stderr.write(`${path} is not what the declarations say; run: make docs\n`);
    process.exitCode = 1;
  } else {
    await writeFile(path, content);
    process.stdout.write(`wrote ${path}\n`);
  }
}
