/** Every field of a record is described, every endpoint named, and every page says who it is for. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openApi } from '../../api/docs/openapi.ts';
import { allRoutes } from '../../api/routes/all.ts';
import { feedName } from '../../api/site/pages/build/form.ts';
import { pages, ROOT } from './pages.ts';

test('every field of a sold record is described', () => {
  const { components } = openApi(allRoutes({ publicUrl: 'http://localhost:4021' }), 'http://localhost:4021') as {
    components: { schemas: Record<string, { properties?: Record<string, { description?: string }> }> };
  };
  const silent = ['deal', 'signal', 'auction', 'lead', 'filing'].flatMap((name) =>
    Object.entries(components.schemas[name]?.properties ?? { none: {} })
      .filter(([, field]) => !field.description)
      .map(([field]) => `${name}.${field}`),
  );
  assert.deepEqual(silent, []);
});

test('every endpoint with a price has a name on the site', () => {
  const priced = allRoutes({ publicUrl: 'http://localhost:4021' }).filter(({ price }) => price !== null);
  assert.deepEqual(
    priced.map(({ path }) => path).filter((path) => feedName(path) === path),
    [],
  );
});

test('every dependency has its reason in docs/decisions.md', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  const reasons = pages.find(({ path }) => path === 'docs/decisions.md')?.text.split('## Dependencies')[1] ?? '';
  assert.deepEqual(
    Object.keys({ ...dependencies, ...devDependencies }).filter(
      (name) => !name.startsWith('@types/') && !reasons.includes(`\`${name}\``),
    ),
    [],
  );
});

test('the first line of every page says who it is for', () => {
  const silent = pages
    .filter(({ path }) => /^docs\/[^/]+\.md$/.test(path))
    .filter(({ text }) => !/^# .+\n\nFor [^:]+: /.test(text));
  assert.deepEqual(
    silent.map(({ path }) => path),
    [],
  );
});
