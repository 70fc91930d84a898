/** Lines on standard output. A reader that leaves early (`make run | head`) ends the output, never the work. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** Print a line; on a terminal it takes the place of a line that moves. */
export const say = (line: string): void => {
  process.stdout.write(`${process.stdout.isTTY ? '\u001b[K' : ''}${line}\n`);
};
