/**
 * What `make test` tries in part and `make prove`, which sets THOROUGH=1, in full.
 * @returns `all` under `make prove`, otherwise `some`
 */
export const thorough = <T>(some: T, all: T): T => (process.env['THOROUGH'] === '1' ? all : some);
