/** Reads a file that holds a private key, and refuses one that others on this machine can read. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { SettingError } from './settings.ts';

const OTHERS = 0o077;
const MODE_BITS = 0o777;

/** A path as an argument of a shell command. */
const quoted = (path: string): string =>
  /^[\w./-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;

/**
 * The key in the file at `path`. No message repeats it.
 * @param setting the setting that names the file
 * @throws SettingError where the file cannot be read, or where its mode lets group or others at it
 */
export function readKeyFile(setting: string, path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const mode = fstatSync(file).mode & MODE_BITS;
    // Windows has no such modes: Node reports every file as open to all.
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
      throw new SettingError(
        `${setting} is ${JSON.stringify(path)}, which group or others can open (mode 0${mode.toString(8)}). Run: chmod 600 ${quoted(path)}`,
      );
    }
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof SettingError) throw error;
    throw new SettingError(`${setting} is ${JSON.stringify(path)}, expected a file that can be read`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
