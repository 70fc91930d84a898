/** Probes several sites, and prints a line for each. */
import { join } from 'node:path';
import type { SourceSpec } from '../../sources/contract.ts';
import type { Fetcher } from '../../sources/fetch/fetcher.ts';
import type { Clock } from '../clock.ts';
import { bytesShort } from '../format.ts';
import type { Layout } from '../layout.ts';
import { whatIsMissing } from '../permission.ts';
import { compareJoins } from './joins.ts';
import { keepPages } from './keep.ts';
import { probe, SAMPLE_ROWS, type Probe } from './probe.ts';

export interface ProbeOptions {
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly layout: Layout;
  /** Every source, because a sample is compared with the others of its county. */
  readonly all: readonly SourceSpec[];
  /** Sources to probe. */
  readonly wanted: readonly SourceSpec[];
  /** Whether a source may be read from the web. */
  readonly mayFetch: (spec: SourceSpec) => boolean;
  /** Whether to save the pages for a bug report. */
  readonly keeps: boolean;
  readonly print: (line: string) => void;
}

/** Sites probed in parallel: most of a probe is waiting. */
const AT_ONCE = 6;

const WORDS = {
  as_expected: 'as expected',
  differs: 'DIFFERS',
  unavailable: 'NO ANSWER',
  not_probed: 'not probed',
} as const;

/** @returns whether every probed site is as expected */
export async function probeSources(options: ProbeOptions): Promise<boolean> {
  const { wanted, print } = options;
  const width = Math.max(...wanted.map(({ name }) => name.length));
  const line = (name: string, word: keyof typeof WORDS, text: string): void =>
    print(`  ${name.padEnd(width)}  ${WORDS[word].padEnd(WORDS.as_expected.length)}  ${text}`);
  const waiting = [...wanted];
  let isWell = true;
  const worker = async (): Promise<void> => {
    for (let spec = waiting.shift(); spec; spec = waiting.shift()) {
      const why = whyNotProbed(spec, options.mayFetch);
      if (why !== null) {
        line(spec.name, 'not_probed', why);
        continue;
      }
      const found = await withJoins(options, spec, await probe(options.fetcher, spec, options.clock));
      isWell &&= found.verdict === 'as_expected';
      line(spec.name, found.verdict, textOf(found));
      if (options.keeps) for (const kept of await keptLines(options, spec, found)) print(`    ${kept}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return isWell;
}

/** What the operator must provide before the site can be probed; null if nothing. */
function whyNotProbed(spec: SourceSpec, mayFetch: (spec: SourceSpec) => boolean): string | null {
  if (!spec.fetch) return `it has no site to probe; put a file into the drop folder: ${spec.drop?.[0]?.about ?? ''}`;
  if (!mayFetch(spec)) return whatIsMissing(spec);
  return null;
}

/** If no parcel number of the sample joins, the site has changed its key. */
async function withJoins(options: ProbeOptions, spec: SourceSpec, found: Probe): Promise<Probe> {
  const { layout, all, clock } = options;
  const joins = await compareJoins(spec, found.rows, { layout, all, asOf: clock.asOf });
  const findings = joins.map(({ other, sampled, found: n, example, otherExample }) =>
    n === 0
      ? `none of ${sampled} parcel numbers, such as ${example}, joins the rows of ${other}, such as ${otherExample}`
      : `${n} of ${sampled} parcel numbers join the rows of ${other}`,
  );
  const isBroken = joins.some(({ found: n, sampled }) => n === 0 && sampled >= SAMPLE_ROWS);
  return { ...found, verdict: isBroken ? 'differs' : found.verdict, findings: [...found.findings, ...findings] };
}

function textOf({ findings, requests, bytes, verdict, pageUrl }: Probe): string {
  const page = verdict === 'as_expected' || pageUrl === null ? '' : ` [${pageUrl}]`;
  return `${findings.join('; ')}${page} (${requests} requests, ${bytesShort(bytes)})`;
}

async function keptLines({ layout }: ProbeOptions, spec: SourceSpec, found: Probe): Promise<string[]> {
  const folder = join(layout.root, 'probe', spec.name);
  const { files, left } = await keepPages(folder, spec, found.pages, found.rows);
  const how = found.rows.length > 0 ? 'personal names are replaced by X' : 'every letter and digit is replaced';
  return [
    `${files.length} pages saved in ${folder}: ${how}; read them before you send them`,
    ...left.map((url) => `not saved, because its names cannot be replaced: ${url}`),
  ];
}
