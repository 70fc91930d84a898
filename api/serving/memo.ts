/** Caches results that depend only on the snapshot, or on the snapshot and the day. A failure is not cached. */
import { LRUCache } from 'lru-cache';
import type { RouteRequest } from '../routes/define.ts';
import type { Snapshot } from './open.ts';

type RequestWithoutParams = RouteRequest<Record<never, never>>;
type Compute<T> = () => Promise<T>;

/** A function that calls `compute` once per snapshot and key, and keeps the `max` results used last per snapshot. */
export function cacheByKey<T>(max: number): (snapshot: Snapshot, key: string, compute: Compute<T>) => Promise<T> {
  const caches = new WeakMap<Snapshot, LRUCache<string, Promise<T>>>();
  return (snapshot, key, compute) => {
    const cache = caches.getOrInsertComputed(snapshot, () => new LRUCache({ max }));
    const known = cache.get(key);
    if (known) return known;
    const found = compute();
    cache.set(key, found);
    found.catch(() => cache.delete(key));
    return found;
  };
}

/** A function that calls `compute` once per snapshot, day and `state`. */
export function cachePerDay<T>(
  compute: (request: RequestWithoutParams) => Promise<T>,
  state: (request: RequestWithoutParams) => Promise<string> = async () => '',
): (request: RequestWithoutParams) => Promise<T> {
  const cache = cacheByKey<T>(1);
  return async (request) => cache(request.snapshot, `${request.today} ${await state(request)}`, () => compute(request));
}

/** A function that calls `compute` once per snapshot. */
export function cachePerSnapshot<T>(compute: (snapshot: Snapshot) => Promise<T>): (snapshot: Snapshot) => Promise<T> {
  const cache = cacheByKey<T>(1);
  return (snapshot) => cache(snapshot, '', () => compute(snapshot));
}
