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

/**
 * Leaves two of the items of each table, list and chart that have the same elements and classes: they repeat their
 * markup, and axe needs seconds for thousands of elements.
 */
export const SHORTEN_LISTS = `(() => {
  const seen = new WeakMap();
  for (const item of document.querySelectorAll('tbody tr, li, dl > div, option, svg rect, svg > a')) {
    const markup = [item, ...item.querySelectorAll('*')].map((e) => e.tagName + '.' + e.getAttribute('class')).join();
    const siblings = seen.get(item.parentElement) ?? new Map();
    seen.set(item.parentElement, siblings.set(markup, (siblings.get(markup) ?? 0) + 1));
    if (siblings.get(markup) > 2) item.remove();
  }
})()`;

/** Accessibility violations. @param options axe options as source text */
export async function violations(page: Page, options = '{}'): Promise<string[]> {
  const result = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run({ resultTypes: ['violations'], ...${options} })`,
  );
  return result.violations.map((v) => `${v.id}: ${v.nodes[0]?.html.slice(0, 200) ?? ''}`);
}
