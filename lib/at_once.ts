/**
 * Run a task for each item, several in parallel. After a failure no further task starts, and the failure is thrown when
 * the running ones have ended.
 */
export async function atOnce<T>(
  items: AsyncIterable<T> | Iterable<T>,
  task: (item: T) => Promise<void>,
  concurrency = 8,
): Promise<void> {
  const next = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const failures: unknown[] = [];
  const runTasks = async (): Promise<void> => {
    try {
      for (let item = await next.next(); item.done !== true && failures.length === 0; item = await next.next())
        await task(item.value);
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runTasks));
  if (failures.length > 0) throw failures[0];
}
