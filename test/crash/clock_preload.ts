/**
 * Loaded into a server before anything else (`node --import`): its wall clock, which a test can move while it runs, and
 * which is moved at the start by CLOCK_OFFSET_MS; and the fault that FAULT plants into its sources, as JSON. Everything
 * in the process reads the clock, libraries and worker threads too. Timers and performance.now go on, as when a real
 * clock is set.
 *
 * The test connects to the socket CLOCK_SOCKET and writes by how many milliseconds the clock is ahead from then on, a
 * number a line. The line is written back.
 */
import { registerHooks } from 'node:module';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { plantInto, type PlantedChange } from '../ledger/planted_change.ts';

const machine = Date.now.bind(Date);
/** Offset from the machine's clock in milliseconds, shared by the threads of the process. */
const shared = isMainThread
  ? new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)
  : (getEnvironmentData('offset of the clock') as SharedArrayBuffer);
const offset = new Float64Array(shared);
if (isMainThread) {
  offset[0] = Number(process.env['CLOCK_OFFSET_MS'] ?? 0);
  setEnvironmentData('offset of the clock', shared);
}
const now = (): number => machine() + (offset[0] ?? 0);

const RealDate = Date;
// The prototype stays the real one: what is a Date to the one is a Date to the other.
globalThis.Date = new Proxy(RealDate, {
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
  construct: (target, given, asked) => Reflect.construct(target, given.length === 0 ? [now()] : given, asked) as object,
  apply: () => new RealDate(now()).toString(),
});

const { CLOCK_SOCKET, FAULT } = process.env;
if (isMainThread && CLOCK_SOCKET !== undefined) {
  createServer((socket) => {
    socket.on('error', () => undefined);
    createInterface(socket).on('line', (line) => {
      offset[0] = Number(line);
      socket.write(`${line}\n`);
    });
    socket.unref();
  })
    .listen(CLOCK_SOCKET)
    .unref();
}

if (FAULT !== undefined) {
  const changes = JSON.parse(FAULT) as readonly PlantedChange[];
  registerHooks({
    load: (url, context, next) =>
      plantInto(
        next(url, context),
        changes.filter(({ file }) => url.endsWith(`/${file}`)),
      ),
  });
}
