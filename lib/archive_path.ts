/** Where the archive of a data folder stores the bytes of a page. */
import { join } from 'node:path';

/** Path of an object in the folder `archive` of a data folder. @param sha256 of its bytes, in hex */
export const objectPath = (sha256: string): string => join('objects', sha256.slice(0, 2), sha256);
