/** Checks of a page in a browser: accessibility, and the visible focus. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** Source of axe, to be evaluated in the page. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Expression for the browser: the focused element, and whether its focus is visible. */
export const FOCUSED = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  return {
    name: element.getAttribute('href') ?? element.getAttribute('name') ?? element.textContent,
    isVisible: outlineStyle !== 'none' && outlineWidth !== '0px',
  };
})()`;

/** Leaves five rows in each table: rows repeat their markup, and axe needs seconds for thousands of elements. */
export const SHORTEN_TABLES = `document.querySelectorAll('tbody tr:nth-child(n + 6)').forEach((row) => row.remove())`;

/** Accessibility violations. @param options axe options as source text */
export async function violations(page: Page, options = '{}'): Promise<string[]> {
  const result = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run({ resultTypes: ['violations'], ...${options} })`,
  );
  return result.violations.map((v) => `${v.id}: ${v.nodes[0]?.html.slice(0, 200) ?? ''}`);
}
