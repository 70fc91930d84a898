/** Shared by `make county` and `make listing`: settings that form the source, the new folder, and the messages. */
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { SettingError } from '../lib/settings.ts';

/** A case of recorded/pages.json; see test/sources/fleet.test.ts. */
export type Case = Readonly<Record<string, unknown>>;

/** Shown instead of a page by a site that wants a sign-in. */
export const LOGIN_PAGE = '<html><head><title>Sign in</title></head><body>Please sign in to continue.</body></html>';

/** A new source. */
export interface NewSource {
  /** Folder of its family, such as "tax". */
  readonly family: string;
  readonly name: string;
  /** Text of source.ts. */
  readonly source: string;
  readonly pages: Readonly<Record<string, Case>>;
  /** Pages that are written already, by file name. */
  readonly files?: Readonly<Record<string, string>>;
  /** The pages to record. */
  readonly record: string;
}

/** A text of a form that `expected` describes. */
export const textLike = (form: RegExp, expected: string): z.ZodString => z.string(expected).regex(form, expected);

/** "Van Wert" of ["van", "wert"]. */
export const titleOf = (words: readonly string[]): string =>
  words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Create the folder of a source.
 * @param root folder of the adapters
 * @returns the new folder
 * @throws SettingError if it exists
 */
export async function createFolder(root: string, made: NewSource): Promise<string> {
  const { family, name, source, pages, files = {}, record } = made;
  const folder = join(root, family, name);
  if (await exists(folder))
    throw new SettingError(`NAME is ${JSON.stringify(name)}, expected the name of a new source: ${folder} exists`);
  await mkdir(join(folder, 'recorded'), { recursive: true });
  await writeFile(join(folder, 'source.ts'), source);
  await writeFile(join(folder, 'recorded/pages.json'), `${JSON.stringify(pages, null, 2)}\n`);
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, 'recorded', file), text);
  await writeFile(
    join(folder, 'recorded/README.md'),
    `# Recorded pages\n\nNothing is recorded yet. ${record} Then say here where the pages come from: ` +
      'recorded from the site on which day, or made by you in its format with invented names.\n',
  );
  return folder;
}

/** Run a command that creates a folder, and print what to do next. */
export async function runCommand(create: () => Promise<string>): Promise<void> {
  try {
    const folder = await create();
    process.stdout.write(
      `created ${folder}\n\nNext\n  1. fill in source.ts\n  2. record pages as recorded/README.md says\n` +
        '  3. node --test test/sources/fleet.test.ts    until it passes\n  4. make docs\n',
    );
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
