/**
 * Settings: environment variables, read once and checked by zod. A wrong setting ends the program with one line that
 * names the setting, its value, and what was expected. docs/settings.md is generated from this file.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isPlaceholder } from './placeholders.ts';

const [FIRST_DAY, LAST_DAY] = ['2000-01-01', '2099-12-31'];
const day = z.iso
  .date('a day as YYYY-MM-DD')
  .refine((text) => text >= FIRST_DAY && text <= LAST_DAY, `a day from ${FIRST_DAY} to ${LAST_DAY}`);
const count = (about: string, byDefault: number) =>
  z.coerce
    .number('a whole number')
    .int('a whole number')
    .min(0, 'a whole number, 0 or more')
    .max(1_000_000, 'at most 1000000')
    .default(byDefault)
    .describe(about);

/** A setting that is 0 or 1. */
export const zeroOrOne = z.enum(['0', '1'], 'either 0 or 1').transform((text) => text === '1');

/** Cost of a sale, for the report of the ledger and the warning of the status. */
const settlementCost = z
  .string()
  .regex(/^\d{1,4}(\.\d{1,6})?$/, 'dollars such as 0.001')
  .default('0.001')
  .describe('Dollars that one settlement costs you (docs/going-live.md#6-what-a-sale-costs).');

/** Location of the ledger, for the server, which sells, and the pipeline, which excludes sold leads. */
const ledger = z
  .string()
  .refine(
    (text) => !/^[a-z0-9+.-]+:/i.test(text) || /^(postgres|postgresql):\/\/[^\s]+$/.test(text),
    'the path of an SQLite file, or postgres://user:password@host/database',
  )
  .optional()
  .describe(
    'Ledger of sales: the path of an SQLite file (servers on one host), or postgres://user:password@host/database ' +
      '(servers on several hosts). Default: DATA_DIR/ledger.sqlite.',
  );

/** Port of a server without the setting PORT. */
export const DEFAULT_PORT = 4021;

/** A path as an argument of a shell command that a message suggests. */
export const shellQuoted = (path: string): string =>
  /^[\w./-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;

/** The end of a command that makes it use this data folder; empty for the default folder. */
export const inFolder = (dataDir: string): string => (dataDir === 'data' ? '' : ` DATA_DIR=${shellQuoted(dataDir)}`);

const postgres = z.string().regex(/^(postgres|postgresql):\/\/[^\s]+$/, 'postgres://user:password@host/database');

/** Address of a bucket: its name, and the prefix of the store in it. */
export const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#\s]*))?$/u;

const store = z
  .string()
  .refine(
    (text) => S3_ADDRESS.test(text) || !/^[a-z0-9+.-]+:/iu.test(text),
    's3://bucket/prefix, or the path of a folder',
  )
  .optional()
  .describe(
    'Store of snapshots and archived pages, for hosts without a shared disk: s3://bucket/prefix or a folder. ' +
      'Credentials, AWS_REGION and AWS_ENDPOINT_URL are read as all AWS tools do. Default: DATA_DIR only.',
  );

/** Settings of the pipeline and of the sandbox world. */
export const pipelineSettings = z.object({
  DATA_DIR: z
    .string()
    .min(1, 'a folder')
    .default('data')
    .describe('Folder of the archive, staged rows, snapshots and the ledger.'),
  LEDGER: ledger,
  SETTLEMENT_COST: settlementCost,
  STORE: store,
  QUEUE: postgres
    .optional()
    .describe(
      'Queue of sources for workers (`make worker`): postgres://user:password@host/database. It needs ' +
        'STORE. Default: the run reads the sources itself.',
    ),
  DROP_DIR: z
    .string()
    .min(1, 'a folder')
    .optional()
    .describe('Folder where the operator drops files, one folder per source. Default: DATA_DIR/drop.'),
  TABLES_URL: z
    .string()
    .regex(/^(?:\/|[a-z0-9]+:\/\/[^/])[^\s]*[^/\s]$/u, 'an absolute path or a URL, without a slash at the end')
    .optional()
    .describe(
      'Where readers of the Iceberg tables find DATA_DIR or STORE, such as https://data.example.org/feed. Default: ' +
        'the absolute path of DATA_DIR, and for the tables in the store its own address.',
    ),
  LIVE: zeroOrOne
    .default(false)
    .describe('1 reads the real web, each source only when due; 0 reads the sandbox world.'),
  DAY: day
    .optional()
    .describe('Day of the run, the data clock. Default: today with LIVE=1; 2026-11-20 in the sandbox.'),
  SOURCES: z
    .string()
    .optional()
    .describe(
      '`make run`: names, families or groups (daily, colorado, ohio) of the sources to read, separated by commas, or ' +
        'none. Default: all. The other sources keep their last good rows.',
    ),
  EXTRA_SOURCES: z
    .string()
    .min(1, 'a folder')
    .optional()
    .describe(
      'Folder with further sources, in `<family>/<name>.ts`. With `make`, the default is ' +
        '`sandbox/sources`; with LIVE=1 there is none.',
    ),
  PERMITTED: z
    .string()
    .optional()
    .describe(
      'Comma-separated names of sources of which you confirm that their terms, or their owners, let you ' +
        'read them by program and sell what is derived (docs/sources.md).',
    ),
  SANDBOX_URL: z
    .url({ protocol: /^http$/, error: 'the http address of a running sandbox world' })
    .optional()
    .describe('Address of the sandbox world. `make run` starts one and sets this.'),
  CONTACT: z
    .string()
    .refine(
      (text) => /@|:\/\//u.test(text) && !isPlaceholder(text),
      'an address or URL where site owners reach the operator',
    )
    .optional()
    .describe('Contact in the user agent. Required with LIVE=1.'),
  CENSUS_API_KEY: z
    .string()
    .trim()
    .optional()
    .describe(
      "Key of the Census Bureau's data API, free by email. Without it, census_acs is read from its drop folder only.",
    ),
  SOCRATA_APP_TOKEN: z
    .string()
    .trim()
    .optional()
    .describe(
      'App token of the Socrata portals (Kansas City, Cincinnati, Chicago), free. Without it they answer slower.',
    ),
  CHROMIUM_PATH: z
    .string()
    .min(1, 'the path of a Chromium')
    .optional()
    .describe(
      "Chromium for sites that build their lists with a script. Default: the system's, else the one in the packages.",
    ),
  SEED: z.coerce
    .number('a whole number')
    .int('a whole number')
    .default(20261120)
    .describe('Seed of the sandbox world.'),
  BUILD_MEMORY: z
    .string()
    .regex(/^\d{1,6}(MB|GB)$/, 'a size such as 1800MB or 4GB')
    .default('2200MB')
    .describe(
      'Memory of the database that builds the models; the process needs 1 GB more. 2200MB are enough for ' +
        'three million filings, 1GB for 60,000 deals.',
    ),
  ASSUMPTIONS_FILE: z
    .string()
    .min(1, 'a file')
    .optional()
    .describe(
      'JSON file of assumptions to override: key to value, with decimals as strings, such as {"vacancy": "0.08"}. ' +
        'The set id changes with it. Default: the declared set.',
    ),
  LISTINGS: count('Approximate number of listings in the sandbox world.', 600),
  PARCELS: count('Approximate number of tax-delinquent parcels in the sandbox world.', 4000),
  AUCTIONS: count('Approximate number of sheriff-sale items in the sandbox world.', 250),
  FILINGS: count('Approximate number of filings per register in the sandbox world.', 4000),
});

/** Settings of `make rebuild`, in addition to those of the pipeline. */
export const rebuildSettings = z.object({
  RUN: z.string().default('current').describe('`make rebuild`: snapshot to rebuild: a run id, a day, or current.'),
  SOURCE: z
    .string()
    .optional()
    .describe(
      '`make rebuild`: parse the archived pages of this source again, and store rows that changed as new versions ' +
        'of its reads.',
    ),
  SINCE: day.optional().describe('`make rebuild SOURCE=...`: first day of the reads to parse again. Default: all.'),
  DRY: zeroOrOne.default(false).describe('`make rebuild SOURCE=...`: 1 only shows the changes.'),
});

/** The day on which the bundled sandbox world was recorded. */
export const SANDBOX_DAY = '2026-11-20';

export type PipelineSettings = z.infer<typeof pipelineSettings>;

/** A setting or argument that cannot be used; its message is one line. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** Settings whose value never appears in a message: secrets, and addresses that may contain one. */
const NOT_SHOWN = /SECRET|KEY|TOKEN|AUTHORIZATION|COMMAND|^(RPC_URL|FACILITATOR_URL|LEDGER|QUEUE)$/;

/** The value of a setting as a message may show it. */
export function shownValue(name: string, value: unknown): string {
  if (value === undefined) return 'not set';
  return NOT_SHOWN.test(name) ? 'not shown' : JSON.stringify(value);
}

/** Pages and the file in which every argument of a command occurs. */
const NAMED_IN = ['../docs/settings.md', '../docs/agents.md', '../Makefile'];
/** First letters that similar names share, and how many of them a message names. */
const [SAME_START, SIMILAR_SHOWN] = [2, 3];

/**
 * Arguments of the `make` that started this process must exist: a misspelled one would be ignored without a word.
 * @param flags MAKEFLAGS: options, then `-- NAME=value NAME=value`, with spaces of a value escaped
 * @throws SettingError naming the unknown argument and similar ones
 */
export function checkArguments(flags: string): void {
  const given = [...flags.matchAll(/(?<!\\) ([A-Za-z_]\w*)=/gu)].map(([, name = '']) => name);
  if (given.length === 0) return;
  const pages = NAMED_IN.map((page) => readFileSync(new URL(page, import.meta.url), 'utf8'));
  const known = new Set(pages.join('\n').match(/\b[A-Z][A-Z_]*\b/gu));
  const unknown = given.find((name) => !known.has(name));
  if (unknown === undefined) return;
  const distance = (name: string): number => Math.abs(name.length - unknown.length);
  const near = [...known]
    .filter((name) => name.startsWith(unknown.toUpperCase().slice(0, SAME_START)))
    .sort((a, b) => distance(a) - distance(b));
  const similar = near.length === 0 ? '' : `; similar: ${near.slice(0, SIMILAR_SHOWN).join(', ')}`;
  throw new SettingError(`${unknown} is not an argument or setting${similar}. docs/settings.md lists all.`);
}

/**
 * Read settings from an environment. An empty variable counts as not set.
 * @throws SettingError that names the variable, its value unless secret, and what was expected
 */
export function readSettings<S extends z.ZodObject>(
  shape: S,
  env: Readonly<Record<string, string | undefined>> = process.env,
): z.infer<S> {
  if (env === process.env) checkArguments(env['MAKEFLAGS'] ?? '');
  const known = Object.fromEntries(
    Object.keys(shape.shape).map((key) => [key, env[key] === '' ? undefined : env[key]]),
  );
  const result = shape.safeParse(known);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const name = String(issue?.path[0] ?? 'a setting');
  throw new SettingError(`${name} is ${shownValue(name, known[name])}, expected ${issue?.message ?? 'another value'}`);
}
