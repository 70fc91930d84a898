/** Notes of the operator's commands in a data folder: the alerts that were sent, and the latest backup. */
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { readJson, writeWhole } from '../../lib/files.ts';
import { daysBetween } from '../clock.ts';
import type { Layout } from '../layout.ts';
import { problem, type Problem } from './problems.ts';

/** The last call of ALERT_COMMAND. */
const LastCall = z.object({
  at: z.iso.datetime(),
  event: z.enum(['new', 'over']),
  /** Its problems, by their key. */
  troubles: z.array(z.string()),
  /** Why the command failed; null if it succeeded. */
  failure: z.string().nullable(),
});
export type LastCall = z.infer<typeof LastCall>;

/** Content of DATA_DIR/alerts.json: the last call, and the problems that the command has received, by their key. */
const Sent = z.object({
  last: LastCall.nullable(),
  troubles: z.record(
    z.string(),
    z.looseObject({ since: z.iso.datetime(), kind: z.string(), subject: z.string(), message: z.string() }),
  ),
});
export type Sent = z.infer<typeof Sent>;

const sentFile = (layout: Layout): string => join(layout.root, 'alerts.json');

/** A missing or damaged file counts as nothing sent: an alert is sent twice instead of never. */
export async function readSent(layout: Layout): Promise<Sent> {
  const read = await readJson(sentFile(layout)).catch(() => undefined);
  return Sent.safeParse(read).data ?? { last: null, troubles: {} };
}

export const writeSent = (layout: Layout, sent: Sent): Promise<void> =>
  writeWhole(sentFile(layout), `${JSON.stringify(sent, null, 1)}\n`);

const Note = z.object({ at: z.iso.datetime(), folder: z.string() });
type LatestBackup = z.infer<typeof Note>;

/** Of this folder only, so backups leave it out. */
const notePath = ({ root }: Layout): string => join(root, 'backup.json');

/** Record a finished backup that has every file. @param to folder of the backups */
export async function noteBackup(layout: Layout, to: string, at: Date): Promise<void> {
  await writeWhole(notePath(layout), `${JSON.stringify({ at: at.toISOString(), folder: resolve(to) })}\n`);
}

/** Null if there is no backup, or its record cannot be read. */
export const latestBackup = async (layout: Layout): Promise<LatestBackup | null> =>
  Note.safeParse(await readJson(notePath(layout))).data ?? null;

/** Days after which a backup is old: one nightly backup may fail. */
const BACKUP_DAYS = 2;

/**
 * A problem if a folder with real data has no backup of the last days.
 * @param firstRun id of the folder's first run
 */
export function backupProblems(
  { root }: Layout,
  backup: LatestBackup | null,
  firstRun: string | undefined,
  today: string,
): Problem[] {
  const from = backup?.at ?? firstRun;
  if (from === undefined) return [];
  const age = daysBetween(from, today);
  if (age <= BACKUP_DAYS) return [];
  const found = backup
    ? `the last complete backup of ${root} is ${age} days old: run make backup TO=${backup.folder}, and fix the ` +
      'nightly backup'
    : `${root} has no complete backup after ${age} days: run make backup TO=... every night`;
  return [problem('backup_late', root, found)];
}
