/** Runs the program of a command line. */
import { messageOf } from './errors.ts';
import { SettingError } from './settings.ts';

/**
 * Run a program, which may return its exit status. A wrong setting, or another expected error, is one line on standard
 * error; any other error has its stack. Both end with exit status 1.
 */
export async function runCommand(
  main: () => Promise<number | void>,
  isExpected: (error: unknown) => boolean = () => false,
): Promise<void> {
  try {
    process.exitCode = (await main()) ?? process.exitCode;
  } catch (error) {
    const isOneLine = error instanceof SettingError || isExpected(error);
    const stack = error instanceof Error && !isOneLine ? error.stack : undefined;
    process.stderr.write(`${stack ?? messageOf(error)}\n`);
    process.exitCode = 1;
  }
}
