/** Divides long searches into slices, so that other requests go on between them. */

/** Milliseconds of a slice. */
const SLICE_MS = 2;

/** Searches that wait for their next slice. */
const waiting: (() => void)[] = [];
let endMs = 0;

/** Start the slice of one search: those of several in one turn of the event loop would hold it together. */
function startSlice(): void {
  endMs = performance.now() + SLICE_MS;
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(startSlice);
}

/** Wait for the next slice if this one is over. */
export async function pause(): Promise<void> {
  if (performance.now() < endMs) return;
  await new Promise<void>((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(startSlice);
  });
}
