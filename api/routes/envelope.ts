/** Fields of most answers besides their records: the snapshot, and a note. */
import { z } from 'zod';
import type { ServedManifest } from '../../models/manifest.ts';

export const NOTE = z.string().meta({ description: 'Remarks on the answer, such as late sources.' });

/** The data that an answer or a problem is about. */
export const DATA = {
  as_of: z.iso.date().meta({ description: 'Day of the snapshot; ages and upcoming sales are relative to it.' }),
  snapshot_id: z.string().meta({ description: 'Name of the snapshot that the answer was computed from.' }),
};
export const GENERATED_AT = z.iso.datetime().meta({ description: 'When the snapshot was published.' });
/** The same of an answer, with the time of publication. */
export const PUBLISHED = { generated_at: GENERATED_AT, ...DATA };

export const dataOf = ({ as_of, run_id: snapshot_id }: ServedManifest) => ({ as_of, snapshot_id });
export const publishedOf = (manifest: ServedManifest) => ({ generated_at: manifest.generated_at, ...dataOf(manifest) });

/** The notice of sandbox data, and `more`. */
export function noteOf(manifest: ServedManifest, more = ''): { note?: string } {
  const note = [manifest.notice, more].filter(Boolean).join(' ');
  return note === '' ? {} : { note };
}
