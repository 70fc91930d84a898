/** A program of a benchmark ends with whoever started it, whatever that one died of: its standard input is then closed. */
export const endWithParent = (): void => {
  process.stdin.resume().once('end', () => {
    process.exit();
  });
};
