/**
 * The browser of @sparticuz/chromium, unpacked once for all runs of the suite. The package unpacks it into each TMPDIR,
 * and a process that finds the file takes it for complete while another still writes it.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url));
const UNPACK = "import chromium from '@sparticuz/chromium'; await chromium.executablePath();";

function versionOf(name: string): string {
  const main = createRequire(import.meta.url).resolve(name);
  const { version } = JSON.parse(readFileSync(join(dirname(main), '../package.json'), 'utf8')) as { version: string };
  return version;
}

function unpack(folder: string): void {
  mkdirSync(CACHE, { recursive: true });
  const partial = mkdtempSync(`${folder}-`);
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', UNPACK], {
    cwd: dirname(fileURLToPath(import.meta.url)),
    env: { ...process.env, TMPDIR: partial },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the browser of the tests cannot be unpacked: ${stderr}`);
  try {
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true });
    // Another run of the suite was faster.
    if (!existsSync(folder)) throw error;
  }
}

/** Link the browser into a temporary folder, where the package looks for it. */
export function linkBrowser(temporary: string): void {
  const folder = join(CACHE, `chromium-${versionOf('@sparticuz/chromium')}`);
  if (!existsSync(folder)) unpack(folder);
  for (const name of readdirSync(folder)) symlinkSync(join(folder, name), join(temporary, name));
}
