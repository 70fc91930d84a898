/** Results that depend only on the snapshot, or on the snapshot and the day, computed once. */
import type { Asked } from '../routes/define.ts';
import type { Snapshot } from './load.ts';

type AskedNothing = Asked<Record<never, never>>;

/** `make`, called once per snapshot, day and `state`. A failure is not cached. */
export function oncePerDay<T>(
  make: (asked: AskedNothing) => Promise<T>,
  state: (asked: AskedNothing) => Promise<string> = async () => '',
): (asked: AskedNothing) => Promise<T> {
  const made = new WeakMap<Snapshot, { key: string; body: Promise<T> }>();
  return async (asked) => {
    const key = `${asked.today} ${await state(asked)}`;
    const before = made.get(asked.snapshot);
    if (before?.key === key) return before.body;
    const body = make(asked);
    made.set(asked.snapshot, { key, body });
    body.catch(() => made.delete(asked.snapshot));
    return body;
  };
}

/** `find`, called once per snapshot. A failure is not cached. */
export function oncePerSnapshot<T>(find: (snapshot: Snapshot) => Promise<T>): (snapshot: Snapshot) => Promise<T> {
  const cache = new WeakMap<Snapshot, Promise<T>>();
  return (snapshot) => {
    let found = cache.get(snapshot);
    if (!found) {
      cache.set(snapshot, (found = find(snapshot)));
      found.catch(() => {
        cache.delete(snapshot);
      });
    }
    return found;
  };
}
