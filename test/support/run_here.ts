/**
 * Runs a program in the process of the test, which has loaded its modules: a process of its own takes 0.5 to 1 s to
 * load them. One test of each program starts the process.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { pathToFileURL } from 'node:url';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Output {
  out: string;
  err: string;
}

/** Set while a program runs: everything else, such as the report of the tests, is written as usual. */
const outputs = new AsyncLocalStorage<Output>();
for (const name of ['stdout', 'stderr'] as const) {
  const stream = process[name];
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = (...args: readonly unknown[]): boolean => {
    const output = outputs.getStore();
    if (!output) return write(...args);
    output[name === 'stdout' ? 'out' : 'err'] += String(args[0]);
    return true;
  };
}

/** Thrown in place of the end of this process, where a program ends itself. */
const ENDED = Symbol('the program ended');
const exit = process.exit.bind(process);
process.exit = (code) => {
  if (!outputs.getStore()) return exit(code);
  process.exitCode = code ?? process.exitCode;
  throw ENDED;
};

let runs = 0;
let last: Promise<unknown> = Promise.resolve();

async function run(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const { argv, env: before, exitCode } = process;
  const output: Output = { out: '', err: '' };
  process.argv = [process.execPath, file, ...args];
  process.env = { ...env };
  process.exitCode = undefined;
  try {
    runs += 1;
    // A module is evaluated once: the query makes it another one. It shares its imports with the tests.
    await outputs
      .run(output, () => import(`${pathToFileURL(file).href}?run=${runs}`))
      .catch((error: unknown) => {
        if (error !== ENDED) throw error;
      });
    return { code: Number(process.exitCode ?? 0), ...output };
  } finally {
    Object.assign(process, { argv, env: before, exitCode });
  }
}

/**
 * Run a program that ends when its module is evaluated and sets process.exitCode, with these arguments and nothing but
 * this environment. One runs at a time.
 */
export function runHere(
  file: string,
  { args = [], env = {} }: { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Ended> {
  const ended = last.then(() => run(file, args, env));
  last = ended.catch(() => undefined);
  return ended;
}
