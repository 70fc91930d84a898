/** Reads a private key from a file, and rejects a file that other users of this machine can open. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { SettingError, shellQuoted } from './settings.ts';

const OTHERS = 0o077;
const MODE_BITS = 0o777;

/**
 * Read the key from the file at `path`. No message contains it.
 * @param setting the setting that names the file
 * @throws SettingError if the file cannot be read, or its mode gives access to group or others
 */
export function readKeyFile(setting: string, path: string): string {
  try {
    using cleanup = new DisposableStack();
    const file = cleanup.adopt(openSync(path, 'r'), closeSync);
    const mode = fstatSync(file).mode & MODE_BITS;
    // Windows has no such modes: Node.js reports every file as open to everyone.
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
      const access = `which group or others can open (mode 0${mode.toString(8)})`;
      throw new SettingError(`${setting} is ${JSON.stringify(path)}, ${access}. Run: chmod 600 ${shellQuoted(path)}`);
    }
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof SettingError) throw error;
    throw new SettingError(`${setting} is ${JSON.stringify(path)}, expected a file that can be read`);
  }
}
