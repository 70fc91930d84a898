/**
 * What a process that a test starts keeps of the test's environment, and nothing else, so that no setting of whoever runs
 * the tests reaches it: where programs are, and where compiled modules lie (without them each compiles all of its own again).
 */
export const BARE: Readonly<Record<string, string>> = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE'].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  ),
);
