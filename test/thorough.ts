/** Sizes of tests that try random cases: `make test` tries a part, `make prove` sets THOROUGH=1 and tries all. */

/** @returns `all` under `make prove`, otherwise `some` */
export const thorough = <T>(some: T, all: T): T => (process.env['THOROUGH'] === '1' ? all : some);

function setNumber(name: 'N' | 'SEED', value: number): number {
  const set = Number(process.env[name] ?? value);
  if (!Number.isInteger(set) || set < 1) throw new Error(`${name} must be a whole number above 0`);
  return set;
}

/** Number of cases of a test: N of `make prove ONLY=sales_kills N=300`, or else the given one. */
export const casesOf = (count: number): number => setNumber('N', count);

/** Seed of the cases: SEED of the environment, or else the given one. The same seed gives the same cases. */
export const seedFrom = (seed: number): number => setNumber('SEED', seed);
