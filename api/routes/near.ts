/** Names near a misspelt one. */

/** Most changed letters of a name that is near. */
const MAX_CHANGES = 3;
export const MAX_NEAR = 5;

/** Letters to add, remove or replace. */
function changesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** Names near a text, the nearest first. @param letters those of the part of a name that is compared */
export function nearestTo(text: string, names: readonly string[], letters: (name: string) => string): string[] {
  const wanted = letters(text);
  return [...new Set(names)]
    .map((name) => ({ name, changes: changesBetween(wanted, letters(name)) }))
    .filter(({ changes }) => changes <= Math.min(MAX_CHANGES, wanted.length >> 1))
    .sort((a, b) => a.changes - b.changes || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NEAR)
    .map(({ name }) => name);
}
