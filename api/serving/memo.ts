/** Caches results that depend only on the snapshot, or on the snapshot and the day. */
import type { RouteRequest } from '../routes/define.ts';
import type { Snapshot } from './open.ts';

type RequestWithoutParams = RouteRequest<Record<never, never>>;

/** A function that calls `compute` once per snapshot, day and `state`. A failure is not cached. */
export function cachePerDay<T>(
  compute: (request: RequestWithoutParams) => Promise<T>,
  state: (request: RequestWithoutParams) => Promise<string> = async () => '',
): (request: RequestWithoutParams) => Promise<T> {
  const cache = new WeakMap<Snapshot, { key: string; body: Promise<T> }>();
  return async (request) => {
    const key = `${request.today} ${await state(request)}`;
    const cached = cache.get(request.snapshot);
    if (cached?.key === key) return cached.body;
    const body = compute(request);
    cache.set(request.snapshot, { key, body });
    body.catch(() => cache.delete(request.snapshot));
    return body;
  };
}

/** A function that calls `compute` once per snapshot. A failure is not cached. */
export function cachePerSnapshot<T>(compute: (snapshot: Snapshot) => Promise<T>): (snapshot: Snapshot) => Promise<T> {
  const cache = new WeakMap<Snapshot, Promise<T>>();
  return (snapshot) => {
    let found = cache.get(snapshot);
    if (!found) {
      cache.set(snapshot, (found = compute(snapshot)));
      found.catch(() => {
        cache.delete(snapshot);
      });
    }
    return found;
  };
}
