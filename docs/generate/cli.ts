/** `make docs`: write the pages and the tables that follow from declarations. A test compares them. */
import { readFile, writeFile } from 'node:fs/promises';
import { generated } from './generated.ts';

for (const [path, content] of Object.entries(await generated())) {
  const file = new URL(`../../${path}`, import.meta.url);
  const found = await readFile(file, 'utf8').catch(() => '');
  if (found === content) continue;
  await writeFile(file, content);
  process.stdout.write(`wrote ${path}\n`);
}
