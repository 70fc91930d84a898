/** The note of a response. */
import type { ServedManifest } from '../../models/manifest.ts';

/** The notice of sandbox data, and `more`. */
export function noteOf(manifest: ServedManifest, more = ''): { note?: string } {
  const note = [manifest.notice, more].filter(Boolean).join(' ');
  return note === '' ? {} : { note };
}
