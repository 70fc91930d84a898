/** The request that returned an archived page, found in the lists of requests of the runs that read its source. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** Number of runs whose lists are searched. */
const MAX_RUNS = 40;
/** Longest list that is searched. */
export const MAX_LIST_BYTES = 64 * 1024 * 1024;

/** The part of a request record that a reader sees, or that decodes the body. */
const RequestOfPage = z.object({
  url: z.string(),
  sha256: z.string().nullable(),
  observedAt: z.string(),
  error: z.string().nullable(),
  responseHeaders: z.record(z.string(), z.string()),
});
export type RequestOfPage = z.infer<typeof RequestOfPage>;

/** A page that a source read. */
export interface PageRead {
  readonly sha256: string;
  readonly source: string;
  /** Time of a read that returned it, or its day. */
  readonly readAt: string;
}

/** The first request of a list that returned these bytes. */
export async function requestIn(file: string, sha256: string): Promise<RequestOfPage | null> {
  if ((await stat(file)).size > MAX_LIST_BYTES) return null;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (!line.includes(sha256)) continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      continue; // an incomplete line after a crash
    }
    const { data } = RequestOfPage.safeParse(value);
    if (data?.sha256 === sha256 && data.error === null) return data;
  }
  return null;
}

/** Ids of the runs to search: from the day of the read back, then the later ones. */
export function runsToSearch(runIds: readonly string[], readAt: string): string[] {
  const order = new Intl.Collator('en', { numeric: true });
  const sorted = [...new Set(runIds)].sort(order.compare);
  const [day = ''] = readAt.split('T');
  const isLater = (runId: string): boolean => (runId.split('.')[0] ?? '') > day;
  return [...sorted.filter((id) => !isLater(id)).reverse(), ...sorted.filter(isLater)].slice(0, MAX_RUNS);
}
