/** Text of shell commands that messages suggest. */

/** A path as an argument of a shell command. */
export const shellQuoted = (path: string): string =>
  /^[\w./-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
