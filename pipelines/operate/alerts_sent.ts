/** DATA_DIR/alerts.json: the problems that ALERT_COMMAND has received, and the outcome of its last call. */
import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from '../../lib/files.ts';
import type { Layout } from '../layout.ts';

/** The last call of the command. */
const LastCall = z.object({
  at: z.iso.datetime(),
  event: z.enum(['new', 'over']),
  /** Its problems, by their key. */
  troubles: z.array(z.string()),
  /** Why the command failed; null if it succeeded. */
  failure: z.string().nullable(),
});
export type LastCall = z.infer<typeof LastCall>;

/** Content of alerts.json: the last call, and the problems that the command knows of, by their key. */
const Sent = z.object({
  last: LastCall.nullable(),
  troubles: z.record(
    z.string(),
    z.object({
      since: z.iso.datetime(),
      trouble: z.looseObject({ kind: z.string(), subject: z.string(), message: z.string() }),
    }),
  ),
});
export type Sent = z.infer<typeof Sent>;

export const sentFile = (layout: Layout): string => join(layout.root, 'alerts.json');

/** A missing or damaged file counts as nothing sent: an alert is sent twice instead of never. */
export async function readSent(layout: Layout): Promise<Sent> {
  const read = Sent.safeParse(await readJson(sentFile(layout)).catch(() => undefined));
  return read.success ? read.data : { last: null, troubles: {} };
}

/** The last alert of a data folder; null if none was sent. */
export const lastAlert = async (layout: Layout): Promise<LastCall | null> => (await readSent(layout)).last;
