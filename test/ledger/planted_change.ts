/** Changes to source text that plant a fault. White space does not count, so that a formatter cannot hide the place. */

/** A place in a source file, which must occur exactly once, and its replacement. */
export interface PlantedChange {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const pattern = (from: string): RegExp =>
  new RegExp([...from.replaceAll(/\s+/g, '')].map((character) => RegExp.escape(character)).join(String.raw`\s*`), 'g');

/** @throws if a place does not occur exactly once */
export function plantChanges(source: string, changes: readonly PlantedChange[]): string {
  let result = source;
  for (const { file, from, to } of changes) {
    const place = pattern(from);
    const count = [...result.matchAll(place)].length;
    if (count !== 1)
      throw new Error(`${file} contains ${JSON.stringify(from)} ${count} times, expected once: update this fault`);
    result = result.replace(place, () => to);
  }
  return result;
}

/** A module as a loader hook of Node gets it, with these changes of its source. */
export function plantInto<T extends { readonly source?: unknown }>(loaded: T, changes: readonly PlantedChange[]): T {
  const { source } = loaded;
  if (changes.length === 0 || source === undefined || source === null) return loaded;
  const text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString('utf8');
  return { ...loaded, source: plantChanges(text, changes) };
}
