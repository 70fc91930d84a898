/** Units of time, and instants as text. */

/** Milliseconds of an hour. */
export const HOUR_MS = 3_600_000;
/** Milliseconds of a day. */
export const DAY_MS = 24 * HOUR_MS;

/** The day of an instant, YYYY-MM-DD. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** An instant as text, YYYY-MM-DDTHH:MM:SSZ. */
export const instantOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
