/** Numbers as digits, with leading zeros. */

/**
 * Seeded random numbers. Each object draws from its own named stream, so that it does not depend on how many others
 * were drawn before it. Uses only additions, multiplications and comparisons of doubles, which round alike on every
 * machine.
 */

/** Hash of a text into four 32-bit words (cyrb128). */
function hash(text: string): [number, number, number, number] {
  let a = 1_779_033_703,
    b = 3_144_134_277,
    c = 1_013_904_242,
    d = 2_773_480_762;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = b ^ Math.imul(a ^ code, 597_399_067);
    b = c ^ Math.imul(b ^ code, 2_869_860_233);
    c = d ^ Math.imul(c ^ code, 951_274_213);
    d = a ^ Math.imul(d ^ code, 2_716_044_179);
  }
  a = Math.imul(c ^ (a >>> 18), 597_399_067);
  b = Math.imul(d ^ (b >>> 22), 2_869_860_233);
  c = Math.imul(a ^ (c >>> 17), 951_274_213);
  d = Math.imul(b ^ (d >>> 19), 2_716_044_179);
  return [a ^ b ^ c ^ d, b, c, d];
}

/** A stream of random draws (sfc32). */
export class Draw {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(...names: readonly (string | number)[]) {
    [this.#a, this.#b, this.#c, this.#d] = hash(names.join('/'));
    for (let warm = 0; warm < 8; warm += 1) this.unit();
  }

  /** A number from 0 up to, not including, 1. */
  unit(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  }

  /** An integer from `low` to `high`, inclusive. */
  int(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  chance(share: number): boolean {
    return this.unit() < share;
  }

  pick<T>(list: readonly T[]): T {
    const one = list[Math.floor(this.unit() * list.length)];
    if (one === undefined) throw new Error('cannot pick from an empty list');
    return one;
  }

  /** A value with a probability in proportion to its weight. */
  weighted<T>(pairs: readonly (readonly [value: T, weight: number])[]): T {
    return this.among(
      pairs.map(([value]) => value),
      pairs.map(([, weight]) => weight),
    );
  }

  /** One of the values, each with its weight. */
  among<const T>(values: readonly T[], weights: readonly number[]): T {
    let left = this.unit() * weights.reduce((sum, weight) => sum + weight, 0);
    const at = weights.findIndex((weight) => (left -= weight) < 0);
    const found = values.at(at);
    if (found === undefined) throw new Error('cannot pick from an empty list');
    return found;
  }

  /** Approximately normally distributed (the sum of twelve draws), clamped to `low`..`high`. */
  bell(mean: number, deviation: number, low: number, high: number): number {
    let sum = -6;
    for (let i = 0; i < 12; i += 1) sum += this.unit();
    return Math.min(high, Math.max(low, mean + deviation * sum));
  }
}

export const pad = (number: number, length: number): string => String(number).padStart(length, '0');

/** Digits drawn at random. */
export const digits = (draw: Draw, count: number): string => pad(draw.int(0, 10 ** count - 1), count);
