/** Runs the program of a command line. */
import { messageOf } from './errors.ts';
import { SettingError } from './settings.ts';

/** The error of the work, if closing what the work used failed too, once or several times. */
export const ofWork = (error: unknown): unknown =>
  error instanceof SuppressedError ? ofWork(error.suppressed) : error;

/**
 * Run a program, which may return its exit status. A wrong setting is one line on standard error; any other error has
 * its stack.
 * @param textOf another text for an error, if it has one
 * @param statusOf exit status of an error
 */
export async function runCommand(
  main: () => Promise<number | void>,
  textOf: (error: unknown) => string | null = () => null,
  statusOf: (error: unknown) => number = () => 1,
): Promise<void> {
  try {
    process.exitCode = (await main()) ?? process.exitCode;
  } catch (thrown) {
    const error = ofWork(thrown);
    const stack = error instanceof Error && !(error instanceof SettingError) ? error.stack : undefined;
    process.stderr.write(`${textOf(error) ?? stack ?? messageOf(error)}\n`);
    // Connections to a silent server stay open and would keep the process alive.
    process.exit(statusOf(error));
  }
}
