/** Closes resources at the end of a scope: `await using archive = closing(await openArchive(folder))`. */

/** The same resource, which a declaration with `await using` closes at the end of its scope. */
export const closing = <T extends { close(): void | Promise<void> }>(resource: T): T & AsyncDisposable =>
  Object.assign(resource, { [Symbol.asyncDispose]: async () => resource.close() });
