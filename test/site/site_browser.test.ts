/** The site in a real Chromium, with a snapshot of the real pipeline: with and without JavaScript. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page, ViewportSize } from 'playwright-core';
import { dollarsText } from '../../api/site/format.ts';
import { PAGES } from '../../api/site/pages/all.ts';
import type { ReportBody } from '../../api/routes/report.ts';
import { RANGES, RISKS } from '../../api/site/pages/report/words.ts';
import { serve, type Serving } from '../../api/http/serve.ts';
import { readServerSettings } from '../../api/settings.ts';
import { thorough } from '../thorough.ts';
import { afterFirstDay } from '../pipelines/starting_points.ts';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PRICES } from '../../lib/prices.ts';
import { DESKTOP, newPage, startBrowser, type Opened } from './browser.ts';

/** Source of axe, to be evaluated in the page. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Focused {
  readonly name: string;
  readonly isVisible: boolean;
  readonly matches: boolean;
}

/** The focused element, whether its focus is visible, and whether it is one of a selector; null if there is none. */
const focusedOf = (page: Page, selector = '*'): Promise<Focused | null> =>
  page.evaluate<Focused | null>(`(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return {
      name: element.getAttribute('href') ?? element.getAttribute('name') ?? element.textContent,
      isVisible: outlineStyle !== 'none' && outlineWidth !== '0px',
      matches: element.matches(${JSON.stringify(selector)}),
    };
  })()`);

/**
 * Leaves two of the items of each table, list and chart that have the same elements and classes: they repeat their
 * markup, and axe needs seconds for thousands of elements.
 */
const SHORTEN_LISTS = `(() => {
  const seen = new WeakMap();
  for (const item of document.querySelectorAll('tbody tr, li, dl > div, option, svg rect, svg > a')) {
    const markup = [item, ...item.querySelectorAll('*')].map((e) => e.tagName + '.' + e.getAttribute('class')).join();
    const siblings = seen.get(item.parentElement) ?? new Map();
    seen.set(item.parentElement, siblings.set(markup, (siblings.get(markup) ?? 0) + 1));
    if (siblings.get(markup) > 2) item.remove();
  }
})()`;

/** Accessibility violations. @param options axe options as source text */
async function violations(page: Page, options = '{}'): Promise<string[]> {
  const result = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run({ resultTypes: ['violations'], ...${options} })`,
  );
  return result.violations.map((v) => `${v.id}: ${v.nodes[0]?.html.slice(0, 200) ?? ''}`);
}

interface OpenOptions {
  /** Default: true. */
  readonly javaScriptEnabled?: boolean;
  /** Default: that of a desktop. */
  readonly viewport?: ViewportSize;
}

const PHONE = { width: 390, height: 844 };
const NARROW = { width: 320, height: 700 };
/** Pages of the reference, one of each kind. */
const REFERENCE_PATHS = ['/reference/deal-report', '/reference/records/deal'];
const PATHS = [...PAGES.map((p) => p.path), '/metros/cleveland', ...REFERENCE_PATHS];
/** Largest page. */
const MAX_BYTES = 60_000;

let [site, browser]: [Serving | undefined, Browser | undefined] = [undefined, undefined];
let url = '';
/** The pages that tests share, with and without JavaScript: a new context takes longer than most pages. */
const shared = new Map<boolean, Opened>();
/** Serve what the pipeline publishes of the tiny world. */
before(async () => {
  const { layout } = await afterFirstDay();
  const { settings, payments } = readServerSettings({ DATA_DIR: layout.root, PORT: '0', UNBILLED_PER_MINUTE: '0' });
  site = await serve({ settings, payments });
  ({ url } = site);
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

/** Open a page in a context of its own, which the test closes. */
async function openAlone(path: string, options: BrowserContextOptions): Promise<Opened> {
  const opened = await newPage(browser ?? assert.fail(), url, options);
  const response = await opened.page.goto(path);
  assert.equal(response?.status(), 200, path);
  return opened;
}

/** Open a page in the shared context with or without JavaScript, as wide as a desktop, light, and without errors. */
async function open(
  path: string,
  { javaScriptEnabled = true, viewport = DESKTOP }: OpenOptions = {},
): Promise<Opened & { bytes(): Promise<number> }> {
  const opened = shared.get(javaScriptEnabled) ?? (await newPage(browser ?? assert.fail(), url, { javaScriptEnabled }));
  shared.set(javaScriptEnabled, opened);
  const { page, errors } = opened;
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: 'light' });
  errors.length = 0;
  const response = await page.goto(path);
  assert.equal(response?.status(), 200, path);
  // Read at once only where it is wanted: a page may leave for another one, and its body is gone.
  return { page, errors, bytes: async () => (await response.body()).length };
}

/** Text of the content, without the panel and the buttons of the map, which need a script. */
async function textOf(page: Page): Promise<string> {
  await page.evaluate("document.querySelectorAll('.pay, .zoom').forEach((one) => one.remove())");
  return page.locator('main').innerText();
}

describe('every page', () => {
  /** Only colors depend on the scheme, and pages share them. */
  const inDark = PATHS.filter((_, i) => thorough(i % 4 === 0, true));
  for (const path of PATHS) {
    it(`${path} fits desktop and phone, has no errors, is accessible, and is the same without JavaScript`, async () => {
      const { page, errors, bytes: bytesOf } = await open(path);
      const bytes = await bytesOf();
      assert.ok(bytes <= MAX_BYTES, `${path} has ${bytes} bytes`);
      assert.equal(await page.locator('h1').count(), 1);
      assert.match(await page.title(), /Dealfeed/);
      const text = await textOf(page);
      for (const viewport of [DESKTOP, PHONE, NARROW]) {
        await page.setViewportSize(viewport);
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        assert.ok(width <= viewport.width, `${path} is ${width} wide in a window of ${viewport.width}`);
      }
      assert.deepEqual(errors, []);
      await page.setViewportSize(DESKTOP);
      await page.evaluate(SHORTEN_LISTS);
      await page.evaluate(AXE);
      assert.deepEqual(await violations(page), [], 'light');
      if (inDark.includes(path)) {
        await page.emulateMedia({ colorScheme: 'dark' });
        assert.deepEqual(await violations(page, "{ runOnly: ['color-contrast'] }"), [], 'dark');
      }
      const plain = await open(path, { javaScriptEnabled: false });
      assert.equal(await textOf(plain.page), text);
    });
  }

  it('has only links that work', async () => {
    const links = new Set<string>();
    for (const path of PATHS) {
      const text = await (await fetch(url + path, { headers: { Accept: 'text/html' } })).text();
      const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map((m) => m[1]));
      for (const [, href = ''] of text.matchAll(/ (?:href|src|action)="([^"]+)"/g)) {
        if (href.startsWith('#')) assert.ok(ids.has(href.slice(1)), `${path} links to ${href}`);
        else if (href.startsWith('/')) links.add(href.replaceAll('&amp;', '&'));
      }
    }
    const texts = new Map<string, string>();
    for (const link of links) {
      const [address = '', section] = link.split('#');
      if (!texts.has(address)) {
        const response = await fetch(url + address, { headers: { Accept: 'text/html' } });
        assert.equal(response.status, address.endsWith('/report') && address !== '/report' ? 402 : 200, link);
        texts.set(address, await response.text());
      }
      if (section !== undefined) assert.ok(texts.get(address)?.includes(` id="${section}"`), link);
    }
    assert.ok(links.size > 20, `${links.size} links`);
  });
});

/** Press Tab until an element that matches has the focus; every element on the way shows its focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let i = 0; i < 150; i += 1) {
    await page.keyboard.press('Tab');
    const focused = await focusedOf(page, selector);
    if (!focused) continue;
    assert.ok(focused.isVisible, `the focus on ${focused.name} is visible`);
    if (focused.matches) return;
  }
  assert.fail(`${page.url()}: Tab does not reach ${selector}`);
}

/** Tab to a link or button and press Enter. */
async function enter(page: Page, selector: string): Promise<void> {
  await tabTo(page, selector);
  await page.keyboard.press('Enter');
}

/** Tab to a link that leads to another page, press Enter, and wait for the page. */
async function follow(page: Page, selector: string, path: RegExp): Promise<void> {
  await tabTo(page, selector);
  await Promise.all([page.waitForURL(path), page.keyboard.press('Enter')]);
  await page.locator('h1').waitFor();
}

/** Save the file of a link of what was bought. @returns its name */
async function saveBy(page: Page, name: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), enter(page, `#answer a[download$=".${name}"]`)]);
  return download.suggestedFilename();
}

describe('a walk by keyboard alone', () => {
  it('leads from the front page to a metro, a deal and its report, and to a bought list as CSV', async () => {
    const { page, errors } = await openAlone('/', {});
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'content');
    // Not again at #content, which the browser may focus after the first Tab.
    await page.goto('about:blank');
    await page.goto(`${url}/`);
    await follow(page, '.bar-menu a[href="/metros"]', /\/metros$/u);
    const rows = await page.locator('tbody tr:has(td:nth-child(3):not(:empty)) a').all();
    const metro = (await rows[0]?.getAttribute('href')) ?? assert.fail('no metro has a free deal');
    await follow(page, `a[href="${metro}"]`, new RegExp(`${metro}$`, 'u'));
    await tabTo(page, '#f-max_price');
    await page.keyboard.type('900,000,000');
    await Promise.all([page.waitForURL(/max_price=/u), page.keyboard.press('Enter')]);
    await follow(page, '.deal a', /\/deals\/[0-9a-f-]{36}$/u);
    await follow(page, '.button[href$="/report"]', /\/report$/u);
    await enter(page, '.wallets button');
    await page.locator('#answer h2[id="offer"]').waitFor();
    assert.match(await saveBy(page, 'json'), /^dealfeed-deals-.*-report-\d{4}-\d\d-\d\d\.json$/u);
    await page.goto(`${metro}?max_price=900000000`);
    await follow(page, '.head .button', /\/build\?.*max_price=900000000/u);
    await enter(page, '#built .wallets button');
    await page.locator('#answer tbody tr').first().waitFor();
    assert.equal(await page.evaluate('document.activeElement.closest("#answer") !== null'), true);
    assert.match(await saveBy(page, 'csv'), /^dealfeed-deals-\d{4}-\d\d-\d\d\.csv$/u);
    assert.deepEqual(errors, []);
    await page.context().close();
  });

  it('leads from the search box to a place, its range, the query builder, and the copied call', async () => {
    const { page } = await openAlone('/', { permissions: ['clipboard-read', 'clipboard-write'] });
    await tabTo(page, '.search input');
    await page.keyboard.type('cleve');
    await Promise.all([page.waitForURL(/\/search\?q=cleve$/u), page.keyboard.press('Enter')]);
    await follow(page, '.found a', /\/metros\/cleveland/u);
    const [range = ''] = /^\d[\d,]* to [\d,]+/u.exec(await page.locator('.lead').innerText()) ?? [];
    await follow(page, '.head .button', /\/build\?/u);
    assert.ok((await page.locator('#built .outcome').innerText()).startsWith(`${range} match`), range);
    await enter(page, '#built summary');
    await enter(page, '#built .copy');
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.ok(copied.endsWith('/api/deals?metro=Cleveland'), copied);
    await page.context().close();
  });
});

describe('the menu of a narrow screen', () => {
  it('takes one row, opens without JavaScript and has every page; Escape closes it with JavaScript', async () => {
    const plain = await open('/deals', { javaScriptEnabled: false, viewport: NARROW });
    const header = await plain.page.locator('header').boundingBox();
    assert.ok(header && header.height <= 64, `the header is ${header?.height ?? 0} high`);
    await plain.page.click('.menu summary');
    await plain.page.click('.menu a[href="/scores"]');
    assert.match(plain.page.url(), /\/scores$/);
    const { page } = await open('/deals', { viewport: NARROW });
    await page.click('.menu summary');
    assert.equal(await page.locator('.menu nav a').count(), PAGES.filter((p) => p.label !== undefined).length);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.menu nav').isVisible(), false);
  });
});

describe('the map of a metro', () => {
  /** Places of the list that are shown, and the left edge of the map's view. */
  const shown = (page: Page): Promise<number> => page.locator('.list section:visible').count();
  const left = async (page: Page): Promise<number> =>
    Number((await page.locator('.metro-map').getAttribute('viewBox'))?.split(' ')[0]);

  it('zooms to three times and moves, with the list of what is in view, and marks a ZIP of the list', async () => {
    const { page, errors } = await open('/metros/cleveland');
    const all = await shown(page);
    for (let i = 0; i < 4; i += 1) await page.click('[data-zoom="in"]');
    assert.equal(await page.evaluate("document.querySelector('.metro-map').viewBox.baseVal.width"), 160);
    const near = await shown(page);
    assert.ok(near > 0 && near < all, `${near} of ${all}`);
    const edge = await left(page);
    const box = (await page.locator('.metro-map').boundingBox()) ?? assert.fail('no map');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 150, box.y + box.height / 2);
    await page.mouse.up();
    assert.ok((await left(page)) < edge);
    await page.focus('[data-zoom="all"]');
    await page.keyboard.press('Enter');
    assert.equal(await shown(page), all);
    await page.locator('.list section').first().hover();
    const zip = await page.locator('.list section').first().getAttribute('data-zip');
    assert.equal(await page.locator('.metro-map .on').getAttribute('data-zip'), zip);
    assert.deepEqual(errors, []);
  });

  it('consists of links into the list without JavaScript', async () => {
    const { page } = await open('/metros/cleveland', { javaScriptEnabled: false });
    assert.equal(await page.locator('.zoom').isVisible(), false);
    const circle = page.locator('.metro-map a[data-zip]').first();
    await circle.click();
    const zip = await circle.getAttribute('data-zip');
    assert.match(page.url(), new RegExp(`#z${zip}$`));
    assert.equal(await page.locator('section:target').getAttribute('data-zip'), zip);
  });
});

describe('the example report', () => {
  it('shows each step from rent to NOI, in words instead of codes', async () => {
    const { deal, debt_terms: debt } = (await (await fetch(`${url}/api/example_report`)).json()) as ReportBody;
    const { page } = await open('/report', { javaScriptEnabled: false });
    const text = await page.locator('main').innerText();
    const amounts = [
      deal.market_rent_2br,
      deal.market_rent_mix,
      deal.rent_in_place,
      deal.contract_rent,
      ...deal.expense_lines.map(({ amount }) => amount),
      deal.tax_after_reset,
      deal.noi_at_current_tax,
      deal.noi_underwritten,
      deal.noi_hud_2br,
      debt.sized.loan_amount,
      debt.sized.cash_needed,
    ];
    assert.equal(deal.expense_lines.length, 6);
    for (const amount of amounts) assert.ok(text.includes(dollarsText(Number(amount))), String(amount));
    assert.ok(text.includes(deal.noi_range_note ?? RANGES[deal.noi_range_reason]));
    assert.ok(text.includes(debt.bank.rate_on ?? 'assumption'));
    assert.ok(text.includes(RISKS[deal.condition_risk]));
    const codes = [
      deal.rent_steps.mix.basis,
      deal.rent_steps.in_place.basis,
      deal.rent_steps.contract.basis,
      deal.property_tax.rate_basis,
      deal.noi_range_reason,
      ...deal.expense_lines.map(({ basis }) => basis),
    ];
    for (const code of codes.filter((name) => name.includes('_'))) assert.ok(!text.includes(code), code);
  });
});

describe('the query builder', () => {
  it('shows the exact URL and its price without JavaScript, and the range of what the call returns', async () => {
    const { page } = await open('/build', { javaScriptEnabled: false });
    await page.selectOption('#call', '/api/signals');
    await page.click('text="Choose"');
    await page.selectOption('#f-state', 'OH');
    await page.selectOption('#f-signal_type', 'tax_delinquent');
    await page.click('text=Show the matches');
    const built = (await page.locator('#built').textContent()) ?? '';
    assert.ok(built.includes(`$${PRICES['/api/signals']} for up to 500 records`), built);
    assert.ok(built.includes(`/api/signals?state=OH&signal_type=tax_delinquent`), built);
    const [, least = '', most = ''] = /([\d,]+) to ([\d,]+) match/.exec(built) ?? [];
    assert.ok(Number(least.replaceAll(',', '')) <= Number(most.replaceAll(',', '')) && most !== '', built);
    assert.match(await page.locator('.pay .no-wallet').innerText(), /JavaScript/u);
  });

  it('updates while the reader types, with JavaScript', async () => {
    const { page, errors } = await open('/build?call=/api/deals');
    await page.selectOption('#f-state', 'OH');
    await page.locator('#built', { hasText: '/api/deals?state=OH' }).waitFor();
    await page.fill('#f-min_units', 'two');
    await page.locator('.field.wrong #error-min_units').waitFor();
    await page.fill('#f-min_units', '2');
    await page.locator('#built', { hasText: 'min_units=2' }).waitFor();
    assert.equal(await page.locator('.wrong, #problems *').count(), 0);
    assert.match(page.url(), /state=OH/);
    assert.deepEqual(errors, []);
  });

  it('shows all errors at once, each at its field and linked from the top', async () => {
    const { page } = await open('/build?call=/api/deals&min_score=101&min_price=5&max_price=2', {
      javaScriptEnabled: false,
    });
    const links = page.locator('#problems a');
    assert.deepEqual(await links.allInnerTexts(), ['Score from', 'Asking price to']);
    for (const name of ['min_score', 'max_price'])
      assert.equal(await page.getAttribute(`#f-${name}`, 'aria-describedby'), `error-${name}`);
    assert.match(await page.locator('#error-min_score').innerText(), /“101” is not a whole number from 0 to 100/);
    assert.match(await page.locator('#error-max_price').innerText(), /2 is below “Asking price from”, which is 5/);
    await links.first().click();
    assert.equal(await page.evaluate('document.activeElement.id'), 'f-min_score');
    assert.equal(await page.locator('#built .pay').count(), 0);
  });

  const SAID: readonly (readonly [call: string, selector: string, said: RegExp, what: string])[] = [
    ['auctions&to_date=2020-01-01', '#error-to_date', /^“Last day” is 2020-01-01, below “First day”/u, 'both fields'],
    ['deals&city=Nowhere', '#built', /No match today/u, 'that nothing matches'],
    ['deals&state=OH&min_dscr=1.2', '#built', /match today before .*“Debt coverage from”/u, 'what a count leaves out'],
  ];
  for (const [call, selector, said, what] of SAID)
    it(`names in words ${what}: ${call}`, async () => {
      const { page } = await open(`/build?call=/api/${call}`, { javaScriptEnabled: false });
      assert.match(await page.locator(selector).innerText(), said);
      assert.equal(await page.locator('#built .pay').count(), call.includes('state') ? 1 : 0);
    });
});
