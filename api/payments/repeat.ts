/** Work that a server repeats for as long as it runs, one pass at a time. */

export interface Repeated<T> {
  /** Make a pass now, after the one under way. */
  pass(): Promise<T>;
  stop(): Promise<void>;
}

/** Repeat `work`, first at once. What it throws reaches who asked for the pass; the next pass runs all the same. */
export function repeat<T>(work: (isFirst: boolean) => Promise<T>, everyMs: number): Repeated<T | undefined> {
  let last: Promise<unknown> = Promise.resolve();
  let isStopped = false;
  const next = (isFirst: boolean): Promise<T | undefined> => {
    const pass = last.then(() => (isStopped ? undefined : work(isFirst)));
    last = pass.catch(() => undefined);
    return pass;
  };
  next(true).catch(() => undefined);
  const timer = setInterval(() => {
    next(false).catch(() => undefined);
  }, everyMs);
  timer.unref();
  return {
    pass: () => next(true),
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await last;
    },
  };
}
