/** Probes several sites, and prints a line for each. */
import { z } from 'zod';
import type { SourceSpec } from '../../sources/contract.ts';
import type { Fetcher } from '../../sources/fetch/fetcher.ts';
import type { Clock } from '../clock.ts';
import { bytesShort } from '../format.ts';
import { standingRead } from '../ingest/reads.ts';
import type { Layout } from '../layout.ts';
import { whatIsMissing } from '../permission.ts';
import { hostsSay, probe, type Probe } from './probe.ts';

/** Settings of `make probe`. docs/settings.md is generated from here. */
export const probeSettings = z.object({
  SOURCE: z
    .string('the name of a source, or all')
    .min(1, 'the name of a source, or all')
    .describe('`make probe`: source to probe, several separated by commas, or all.'),
});

export interface ProbeOptions {
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly layout: Layout;
  /** Sources to probe. */
  readonly wanted: readonly SourceSpec[];
  /** Whether a source may be read from the web. */
  readonly mayFetch: (spec: SourceSpec) => boolean;
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
      const found = why === null ? await probe(options.fetcher, spec, options.clock) : null;
      isWell &&= found === null || found.verdict === 'as_expected';
      const hosts = spec.fetch ? await hostsSay(options.fetcher, spec, options.clock) : [];
      const news = found === null ? [] : await newColumns(options, spec, found);
      const text = [found === null ? why : textOf(found), ...news, ...hosts].join('; ');
      line(spec.name, found === null ? 'not_probed' : found.verdict, text);
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

/** The columns that the publisher's table has now and had not at the last read. */
async function newColumns({ layout, clock }: ProbeOptions, spec: SourceSpec, found: Probe): Promise<string[]> {
  const known = (await standingRead(layout, spec.name, clock.asOf))?.columns ?? null;
  const added = known === null ? [] : (found.columns ?? []).filter((name) => !known.includes(name));
  return added.length === 0 ? [] : [`columns that the last read had not: ${added.join(', ')}`];
}

function textOf({ findings, requests, bytes, verdict, pageUrl }: Probe): string {
  const page = verdict === 'as_expected' || pageUrl === null ? '' : ` [${pageUrl}]`;
  return `${findings.join('; ')}${page} (${requests} requests, ${bytesShort(bytes)})`;
}
