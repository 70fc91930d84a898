/**
 * A rate limiter per host that several processes share: one read holds a host at a time. Within a process each host has
 * a RateLimiter, which asks the shared one before each request.
 */
export interface SharedRateLimiter {
  /**
   * Acquire the right to send one request to a host now, and none within `intervalMs` after it.
   * @returns 0 if acquired, else after how many milliseconds to try again
   * @throws if this read has lost its lease and must stop
   */
  acquire(host: string, intervalMs: number): Promise<number>;
  /** No read sends a request to the host within the next `ms` milliseconds. */
  pause(host: string, ms: number): Promise<void>;
}

/** For a process that reads alone. */
export const UNSHARED: SharedRateLimiter = { acquire: async () => 0, pause: async () => {} };
