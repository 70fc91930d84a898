/**
 * Sheets of a workbook in the formats before Office Open XML: .xls of Excel 2 to 2003, and Excel 2003's XML. A library
 * reads them, in a thread of its own, because damaged bytes may make it loop or fill the memory.
 */
import { Worker } from 'node:worker_threads';
import { Quarantine } from '../contract.ts';
import type { Sheet } from './xlsx.ts';

/** Four times the size of a sheet with all of its 65,536 rows and twenty columns. */
const MAX_BYTES = 40_000_000;
const MAX_MILLISECONDS = 60_000;
const MAX_HEAP_MEGABYTES = 1024;

/** First bytes: of a compound file, which Excel writes since version 5, and of the sheets of versions 2 to 4. */
const STARTS: readonly (readonly number[])[] = [
  [0xd0, 0xcf, 0x11, 0xe0],
  [0x09, 0x00, 0x04, 0x00],
  [0x09, 0x02, 0x06, 0x00],
  [0x09, 0x04, 0x06, 0x00],
];

export const isXls = (bytes: Uint8Array): boolean =>
  STARTS.some((start) => start.every((byte, index) => bytes[index] === byte));

/** The result of the thread: the sheets, or why they cannot be read. */
export type XlsReply = { readonly sheets: readonly Sheet[] } | { readonly problem: string };

/**
 * All sheets of a workbook, in the order of its tabs. Dates are Excel's day numbers, as in readXlsx.
 * @param advice what the operator can do with a file that cannot be read
 * @throws Quarantine body_too_large, or malformed_page if it has a password or is damaged, or a cell has an error
 */
export async function readXls(bytes: Uint8Array, pageUrl: string, advice: string): Promise<readonly Sheet[]> {
  if (bytes.length > MAX_BYTES)
    throw new Quarantine(
      'body_too_large',
      `the workbook has ${bytes.length} bytes, the limit of an .xls file is ${MAX_BYTES}: ${advice}`,
      pageUrl,
    );
  const reply = await inThread(bytes);
  if ('problem' in reply) throw new Quarantine('malformed_page', `${reply.problem}: ${advice}`, pageUrl);
  return reply.sheets;
}

function inThread(bytes: Uint8Array): Promise<XlsReply> {
  const worker = new Worker(new URL('./xls_thread.ts', import.meta.url), {
    workerData: bytes,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES },
    stdout: true,
    stderr: true,
  });
  const { promise, resolve } = Promise.withResolvers<XlsReply>();
  const timer = setTimeout(
    () => resolve({ problem: `reading the workbook takes more than ${MAX_MILLISECONDS / 1000} seconds` }),
    MAX_MILLISECONDS,
  );
  worker.once('message', resolve);
  worker.once('error', ({ message }: Error) => resolve({ problem: `the workbook cannot be read (${message})` }));
  return promise.finally(() => {
    clearTimeout(timer);
    return worker.terminate();
  });
}
