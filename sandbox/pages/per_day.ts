/** Values computed once per day of the world. */
import type { WorldDay } from '../world/world.ts';

export function perDay<T>(make: (day: WorldDay) => T): (day: WorldDay) => T {
  const made = new WeakMap<WorldDay, { readonly value: T }>();
  return (day) => {
    const found = made.get(day) ?? { value: make(day) };
    made.set(day, found);
    return found.value;
  };
}
