/** Every benchmark there is: what the files of measures/ export. */
import { readdir } from 'node:fs/promises';
import type { Bench } from './contract.ts';

export async function loadBenches(): Promise<readonly Bench[]> {
  const folder = new URL('measures/', import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ts')).sort();
  const modules = await Promise.all(
    files.map(async (name) => (await import(new URL(name, folder).href)) as { default: Bench | readonly Bench[] }),
  );
  return modules.flatMap((m) => m.default);
}
