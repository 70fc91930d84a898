/**
 * The identity of a ledger: an id and an epoch. The data folder records them (ledger.json), so that a server does not
 * start on a lost, empty or older ledger. Servers compare them before every write, so that a restore stops running
 * servers.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeWhole } from '../lib/files.ts';
import { inFolder, SettingError } from '../lib/settings.ts';
import { LedgerUnavailable } from './ledger.ts';
import { asNumber } from './sql/rows.ts';
import type { Query, Store } from './sql/store.ts';

export interface Identity {
  /** A UUID. */
  readonly id: string;
  /** From 1. Each restore raises it. */
  readonly epoch: number;
}

/** The ledger is not the one this server opened: its file was replaced or removed, or a backup was restored. */
export class LedgerFenced extends LedgerUnavailable {
  override readonly name = 'LedgerFenced';
}

export const FILE_REPLACED = 'The ledger file was replaced or removed while the server ran. Restart the server.';
export const LEDGER_RESTORED = 'A backup of the ledger was restored while the server ran. Restart the server.';

export async function readIdentity(query: Query): Promise<Identity> {
  const [row] = await query('SELECT id, epoch FROM ledger_identity');
  return { id: String(row?.['id']), epoch: asNumber(row?.['epoch']) };
}

const noteSchema = z.object({ id: z.uuid(), epoch: z.int().min(1), kind: z.enum(['sqlite', 'postgres']) });

/** The ledger that the data folder records. */
export type LedgerNote = z.infer<typeof noteSchema>;

export const noteFile = (dataDir: string): string => join(dataDir, 'ledger.json');

/** @returns null if the data folder records no ledger. @throws SettingError if the note cannot be read */
export function readNote(dataDir: string): LedgerNote | null {
  const file = noteFile(dataDir);
  if (!existsSync(file)) return null;
  try {
    return noteSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new SettingError(
      `${file} is damaged. It names the ledger of this data folder; if LEDGER is set to the right one, remove ${file}`,
    );
  }
}

/** Write the note unless it is unchanged. */
export async function writeNote(dataDir: string, { id, epoch, kind }: LedgerNote): Promise<void> {
  const known = readNote(dataDir);
  if (known?.id === id && known.epoch === epoch && known.kind === kind) return;
  await writeWhole(noteFile(dataDir), `${JSON.stringify({ id, epoch, kind })}\n`);
}

/** The location of a ledger, for messages: `shown` is LEDGER without a password. */
export interface NotedPlace {
  readonly dataDir: string;
  readonly shown: string;
}

const remedy = ({ dataDir }: NotedPlace): string =>
  `Restore a backup: make restore FROM=...${inFolder(dataDir)}; ` +
  `or, to begin a new ledger on purpose, remove ${noteFile(dataDir)}`;

/** Whether an SQLite file exists and is not empty. */
export const isNonEmptyFile = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** @throws SettingError, one line, if the data folder records a ledger and its file is missing or empty */
export function checkFileExists(path: string, place: NotedPlace): void {
  const note = readNote(place.dataDir);
  if (note === null || isNonEmptyFile(path)) return;
  const state = existsSync(path) ? 'is empty' : 'does not exist';
  throw new SettingError(
    `LEDGER is ${place.shown}, which ${state}, but ledger ${note.id} was in use in this data folder. ${remedy(place)}`,
  );
}

/** @throws SettingError, one line, if the data folder records another ledger or a later epoch */
export function checkNoted(found: Identity, place: NotedPlace): void {
  const note = readNote(place.dataDir);
  if (note === null || (note.id === found.id && found.epoch >= note.epoch)) return;
  const why =
    note.id === found.id
      ? `an older copy (epoch ${found.epoch}) of the ledger in use in this data folder (epoch ${note.epoch})`
      : `which is ledger ${found.id}, but ledger ${note.id} was in use in this data folder`;
  throw new SettingError(`LEDGER is ${place.shown}, ${why}. ${remedy(place)}`);
}

/** A store that refuses writes once it is no longer the opened ledger. */
export function fencedStore(store: Store, opened: Identity): Store {
  const checkFile = (): void => {
    if (!store.isSameFile()) throw new LedgerFenced(FILE_REPLACED);
  };
  return {
    ...store,
    async write(work, durability) {
      // Before BEGIN, whose message for an emptied file is misleading; and again after waiting for a lock.
      checkFile();
      return store.write(async (query) => {
        checkFile();
        const { id, epoch } = await readIdentity(query);
        if (id !== opened.id || epoch !== opened.epoch) throw new LedgerFenced(LEDGER_RESTORED);
        return work(query);
      }, durability);
    },
  };
}
