/** Ends things at the end of a scope: `await using archive = closing(await openArchive(folder))`. */

/** The same resource, which a declaration with `await using` closes at the end of its scope. */
export const closing = <T extends { close(): void | Promise<void> }>(resource: T): T & AsyncDisposable =>
  Object.assign(resource, { [Symbol.asyncDispose]: async () => resource.close() });

/** What ends a hold when it is called, or at the end of the scope of `using`. */
export type Ending = (() => void) & Disposable;
export const ending = (end: () => void): Ending => Object.assign(end, { [Symbol.dispose]: end });
