/** Answers that follow from the snapshot and the day, and little else, are made once for them. */
import type { Asked } from './route.ts';
import type { Snapshot } from './snapshot.ts';

type AskedNothing = Asked<Record<never, never>>;

/** `make`, called once for a snapshot, a day and what `state` names; a failure is not kept. */
export function oncePerDay<T>(make: (asked: AskedNothing) => Promise<T>, state: (asked: AskedNothing) => Promise<string> = async () => ''): (asked: AskedNothing) => Promise<T> {
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

/** Keep what is found out of a snapshot for as long as the snapshot is served. What fails is tried again. */
export function oncePerSnapshot<T>(find: (snapshot: Snapshot) => Promise<T>): (snapshot: Snapshot) => Promise<T> {
  const kept = new WeakMap<Snapshot, Promise<T>>();
  return (snapshot) => {
    let found = kept.get(snapshot);
    if (!found) {
      kept.set(snapshot, found = find(snapshot));
      found.catch(() => { kept.delete(snapshot); });
    }
    return found;
  };
}
