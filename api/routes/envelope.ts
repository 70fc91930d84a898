/** Fields of most answers besides their records: the snapshot, and a note. */
import { z } from 'zod';
import type { ServedManifest } from '../../models/manifest.ts';

export const NOTE = z.string().meta({ description: 'Remarks on the answer, such as late sources.' });
export const GENERATED_AT = z.iso.datetime().meta({ description: 'When the snapshot was published.' });
export const AS_OF = z.iso
  .date()
  .meta({ description: 'Day of the snapshot; ages and upcoming sales are relative to it.' });
export const SNAPSHOT_ID = z.string().meta({ description: 'Name of the snapshot that the answer was computed from.' });

/** The notice of sandbox data, and `more`. */
export function noteOf(manifest: ServedManifest, more = ''): { note?: string } {
  const note = [manifest.notice, more].filter(Boolean).join(' ');
  return note === '' ? {} : { note };
}
