/** docs/commands.md: the commands of `make help`, in the same groups. */
import { readFileSync } from 'node:fs';
import { cell, table } from '../../lib/markdown.ts';

const GROUP = /^##@ (.+)$/u;
const TARGET = /^([a-z-]+):.*## (.*)$/u;

export function commandsPage(): string {
  const makefile = readFileSync(new URL('../../Makefile', import.meta.url), 'utf8');
  const groups: { readonly title: string; readonly rows: string[][] }[] = [];
  for (const line of makefile.split('\n')) {
    const title = GROUP.exec(line)?.[1];
    if (title !== undefined) groups.push({ title, rows: [] });
    const [, target = '', help = ''] = TARGET.exec(line) ?? [];
    if (target !== '') groups.at(-1)?.rows.push([`\`make ${target}\``, cell(help)]);
  }
  return [
    '# Commands',
    'For everyone: find the command for a task. Written by `make docs` from the Makefile; do not edit.',
    'Settings follow the command, as in `make run DAY=2026-11-21`: see [settings](settings.md).',
    ...groups.flatMap(({ title, rows }) => [`## ${title}`, table(['command', 'action'], rows)]),
  ].join('\n\n');
}
