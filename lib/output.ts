/** Lines on standard output. A reader that closes early (`make run | head`) ends the output, not the work. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** Print a line. */
export const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
