/**
 * Who may ask a host, and when, where several processes read: whoever holds a host asks it, and nobody else. Within a
 * process a Lane keeps a host's pace; a Lane that is given Turns asks them too, before each request.
 */
export interface Turns {
  /**
   * Take the next turn at a host. 0: the host is this read's, a request may start now, and none further for
   * `intervalMs`. More than 0: nothing was taken, ask again in so many milliseconds.
   * @throws where this read has lost what it was reading, to be left at once
   */
  next(host: string, intervalMs: number): Promise<number>;
  /** No request to the host starts within the next `ms` milliseconds, whoever reads it. */
  hold(host: string, ms: number): Promise<void>;
}

/** In a process that reads alone its lanes are enough. */
export const ALONE: Turns = { next: async () => 0, hold: async () => {} };
