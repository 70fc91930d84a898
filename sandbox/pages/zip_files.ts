/** Deterministic ZIP archives. */
import { zipSync, type Zippable } from 'fflate';

/**
 * Pack files. ZIP stores the day `made` as a local time without a zone, so a local Date is the same on every machine.
 */
export function packZip(files: Readonly<Record<string, Uint8Array>>, made: string): Uint8Array {
  const [year = 2026, month = 1, day = 1] = made.split('-').map(Number);
  const mtime = new Date(year, month - 1, day, 6, 30, 0);
  const packed: Zippable = Object.fromEntries(
    Object.entries(files).map(([name, content]) => [name, [content, { level: 6, mtime }]]),
  );
  return zipSync(packed, { mtime });
}
