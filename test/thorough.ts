/**
 * Chooses the size of a test: `make test` tries a part, `make prove` sets THOROUGH=1 and tries all.
 * @returns `all` under `make prove`, otherwise `some`
 */
export const thorough = <T>(some: T, all: T): T => (process.env['THOROUGH'] === '1' ? all : some);
