/** Declarations of the files that an operator may drop instead of a read from the web. */
import { sha256 } from '../lib/files.ts';

/** A file format that the operator may put into the drop folder `<DROP_DIR>/<source name>/`. */
export interface DropFormat {
  /** Matches file names of this format, in lower case. */
  readonly pattern: RegExp;
  /** A valid file name, for messages: "FY26_FMRs.xlsx". */
  readonly file: string;
  /** `kind` of the page that parse receives. */
  readonly kind: string;
  readonly about: string;
  /** The file as it is archived and read, without what must not be kept. @throws Quarantine if it cannot be read */
  seal?(bytes: Uint8Array, url: string): Uint8Array;
  /** Name of a second file for all files, such as a column map. Its text is in the page's context, by its name. */
  readonly beside?: string;
}

/**
 * A drop folder with one folder for each supplier (page context `folder`). Each file is read on its own: a file that is
 * refused is reported, old rows of its folder are carried, and the other files are read.
 */
export interface DropFolders {
  /** Advice on what to request from a supplier, for messages about a file of another kind. */
  readonly ask: string;
  /**
   * The subject of a row, such as the property of a listing; null if unknown. Rows of one key about different subjects
   * in different files are rejected: the files come from different suppliers.
   */
  readonly thingOf?: (values: Readonly<Record<string, unknown>>) => string | null;
}

/** A dropped file as the operator sees it in the drop folder, such as "acme/list.csv"; null for a page of the web. */
export const droppedName = (context: Readonly<Record<string, string>>): string | null =>
  [context['folder'], context['file']].filter(Boolean).join('/') || null;

/**
 * Code of a supplier's folder or file. Row ids and addresses are published, so they have the code and not the name,
 * which may state who sends lists to the operator.
 */
export const codeOfName = (name: string): string => sha256(name).slice(0, 8);
