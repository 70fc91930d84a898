/**
 * The environment of a process that a test starts: where programs and temporary files are, where compiled modules
 * are stored (without them each process compiles its own again), and the sources of the sandbox. No setting of the
 * person who runs the tests is in it.
 */
import { SANDBOX_SETTINGS } from '../sandbox/settings.ts';

const { EXTRA_SOURCES } = SANDBOX_SETTINGS;
// The process of the test has the same sources.
process.env['EXTRA_SOURCES'] = EXTRA_SOURCES;

export const BARE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['PATH', 'NODE_COMPILE_CACHE', 'TMPDIR'].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  ),
  EXTRA_SOURCES,
};
