/** The page on commands: what `make help` lists. */
import { readFileSync } from 'node:fs';

export function commandsPage(): string {
  const makefile = readFileSync(new URL('../../Makefile', import.meta.url), 'utf8');
  const rows = [...makefile.matchAll(/^([a-z-]+):.*## (.*)$/gm)].map(
    (m) => `| \`make ${m[1] ?? ''}\` | ${(m[2] ?? '').replaceAll('|', '\\|')} |`,
  );
  return [
    '# Commands',
    'Written by `make docs` from the Makefile; do not edit. Settings are words after a command, as in `make run DAY=2026-11-21`; the README lists them.',
    ['| command | what it does |', '|---|---|', ...rows].join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}
