/** Answers that follow from the snapshot and the day alone are made once for both. */
import type { Asked } from './route.ts';
import type { Snapshot } from './snapshot.ts';

type AskedNothing = Asked<Record<never, never>>;

/** `make`, called once for a snapshot and a day; a failure is not kept. */
export function oncePerDay<T>(make: (asked: AskedNothing) => Promise<T>): (asked: AskedNothing) => Promise<T> {
  const made = new WeakMap<Snapshot, { today: string; body: Promise<T> }>();
  return (asked) => {
    const before = made.get(asked.snapshot);
    if (before?.today === asked.today) return before.body;
    const body = make(asked);
    made.set(asked.snapshot, { today: asked.today, body });
    body.catch(() => made.delete(asked.snapshot));
    return body;
  };
}
