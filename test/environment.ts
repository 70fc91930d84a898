/**
 * The environment of a process that a test starts: where programs and temporary files are, and where compiled modules
 * are stored (without them each process compiles its own again). No setting of the person who runs the tests is in it.
 */
export const BARE: Readonly<Record<string, string>> = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE', 'TMPDIR'].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  ),
);
