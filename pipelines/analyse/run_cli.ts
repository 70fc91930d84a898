/** Runs the command of an analyst: its exit status, and errors as one message on standard error. */
import { queryErrorText } from './query_result.ts';

export async function runCli(main: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    process.stderr.write(`${queryErrorText(error)}\n`);
    process.exitCode = 1;
  }
}

/** Width of the terminal; unlimited for a pipe or a file. */
export const screenWidth = (): number => (process.stdout.isTTY ? process.stdout.columns : Infinity);
