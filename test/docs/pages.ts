/** The Markdown pages and the commands in them. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface DocPage {
  readonly path: string;
  readonly text: string;
}

/** Every Markdown page except those of tests and recorded pages. */
export const pages: readonly DocPage[] = globSync(
  ['*.md', 'data/README.md', 'docs/**/*.md', 'sandbox/*.md', 'examples/**/*.md', 'queries/**/*.md', 'bench/**/*.md'],
  { cwd: ROOT, exclude: (name) => name.includes('node_modules') },
)
  .sort()
  .map((path) => ({ path, text: readFileSync(`${ROOT}${path}`, 'utf8') }));

/** Lines of the shell blocks of a page, without comments. */
export const commandsOf = ({ text }: DocPage): string[] =>
  [...text.matchAll(/^```sh[^\n]*\n(.*?)^```/gms)]
    .flatMap((m) => (m[1] ?? '').split('\n'))
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');

export const makefile = readFileSync(`${ROOT}Makefile`, 'utf8');

/** Targets that `make help` lists. */
export const targets: ReadonlySet<string> = new Set(
  [...makefile.matchAll(/^([a-z-]+):.*##\+? /gm)].map((m) => m[1] ?? ''),
);
