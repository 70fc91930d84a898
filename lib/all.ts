/** The results of what runs side by side. All of it has ended before the first failure is thrown: nothing goes on with files that are then removed. */
export async function allOf<T extends readonly unknown[]>(running: readonly [...{ [K in keyof T]: Promise<T[K]> }]): Promise<T>;
export async function allOf(running: readonly Promise<unknown>[]): Promise<unknown[]> {
  const failed = (await Promise.allSettled(running)).find((ended) => ended.status === 'rejected');
  if (failed) throw failed.reason;
  return Promise.all(running);
}
