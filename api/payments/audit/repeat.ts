/** Work that a server repeats at an interval, one pass at a time. */

export interface Repeated<T> {
  /** Run a pass now, after the one in progress. */
  pass(): Promise<T>;
  stop(): Promise<void>;
}

/** Repeat `work`, starting now. An error of `work` reaches the caller of `pass`, and the next pass still runs. */
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
