/** Similarity of two texts by Jaro and Winkler, 0 to 1: letters in common, and a bonus for a common start. */

const MAX_START = 4;
const START_BONUS = 0.1;
const THRESHOLD = 0.7;

/** Letters of one text that the other has at most `window` places away, each counted once. */
function inCommon(one: string, other: string, window: number): string {
  const taken = new Set<number>();
  return [...one]
    .filter((letter, i) => {
      for (let j = Math.max(0, i - window); j <= Math.min(other.length - 1, i + window); j += 1) {
        if (other[j] !== letter || taken.has(j)) continue;
        taken.add(j);
        return true;
      }
      return false;
    })
    .join('');
}

export function similarity(one: string, other: string): number {
  if (one === other) return 1;
  const window = Math.max(0, Math.floor(Math.max(one.length, other.length) / 2) - 1);
  const [a, b] = [inCommon(one, other, window), inCommon(other, one, window)];
  if (a.length === 0) return 0;
  const swapped = [...a].filter((letter, i) => letter !== b[i]).length / 2;
  const jaro = (a.length / one.length + a.length / other.length + (a.length - swapped) / a.length) / 3;
  let start = 0;
  while (start < MAX_START && one[start] !== undefined && one[start] === other[start]) start += 1;
  return jaro > THRESHOLD ? jaro + start * START_BONUS * (1 - jaro) : jaro;
}
