/** The site in a real Chromium, with a snapshot of the real pipeline: with and without JavaScript. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { dollarsText } from '../../api/site/format.ts';
import { PAGES } from '../../api/site/pages/all.ts';
import type { ReportBody } from '../../api/site/pages/report/report.ts';
import { CHECKS, RISKS } from '../../api/site/pages/report/words.ts';
import { describeForms, type OpenOptions } from './forms_in_browser.ts';
import { AXE, FOCUSED, SHORTEN_LISTS, violations } from './page_checks.ts';
import { startSite, type SiteServer } from './site_server.ts';

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const NARROW = { width: 320, height: 700 };
/** Pages of the reference, one of each kind. */
const REFERENCE_PATHS = ['/reference/deal-report', '/reference/records/deal'];
const PATHS = [...PAGES.map((p) => p.path), '/metros/cleveland', '/sandbox/buy', ...REFERENCE_PATHS];
/** Largest page. */
const MAX_BYTES = 60_000;

interface Opened {
  readonly page: Page;
  /** Console errors, violations of the page's policy, and requests to other hosts. */
  readonly errors: string[];
}

let site: SiteServer;
/** The pages that tests share, with and without JavaScript: a new context takes longer than most pages. */
const shared = new Map<boolean, Opened>();
before(async () => {
  site = await startSite();
});
after(async () => {
  await site.close();
});

/** An empty page in a context of its own. */
async function newPage(options: BrowserContextOptions): Promise<Opened> {
  const context = await site.browser.newContext({ viewport: DESKTOP, baseURL: site.url, ...options });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text());
  });
  page.on('pageerror', (error) => {
    errors.push(String(error));
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(site.url)) errors.push(`request to ${request.url()}`);
  });
  return { page, errors };
}

/** Open a page in a context of its own, which the test closes. */
async function openAlone(path: string, options: BrowserContextOptions): Promise<Opened> {
  const opened = await newPage(options);
  const response = await opened.page.goto(path);
  assert.equal(response?.status(), 200, path);
  return opened;
}

/** Open a page in the shared context with or without JavaScript, as wide as a desktop, light, and without errors. */
async function open(
  path: string,
  { javaScriptEnabled = true, viewport = DESKTOP }: OpenOptions = {},
): Promise<Opened & { bytes(): Promise<number> }> {
  const opened = shared.get(javaScriptEnabled) ?? (await newPage({ javaScriptEnabled }));
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

describe('every page', () => {
  for (const path of PATHS) {
    it(`${path} fits desktop and phone, has no errors, is accessible, and is the same without JavaScript`, async () => {
      const { page, errors, bytes: bytesOf } = await open(path);
      const bytes = await bytesOf();
      assert.ok(bytes <= MAX_BYTES, `${path} has ${bytes} bytes`);
      assert.equal(await page.locator('h1').count(), 1);
      assert.match(await page.title(), /Dealfeed/);
      const text = await page.locator('main').innerText();
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
      // Only colors depend on the scheme.
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await violations(page, "{ runOnly: ['color-contrast'] }"), [], 'dark');
      const plain = await open(path, { javaScriptEnabled: false });
      assert.equal(await plain.page.locator('main').innerText(), text);
    });
  }

  it('has only links that work', async () => {
    const links = new Set<string>();
    for (const path of PATHS) {
      const text = await (await fetch(site.url + path, { headers: { Accept: 'text/html' } })).text();
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
        const response = await fetch(site.url + address, { headers: { Accept: 'text/html' } });
        assert.equal(response.status, 200, link);
        texts.set(address, await response.text());
      }
      if (section !== undefined) assert.ok(texts.get(address)?.includes(` id="${section}"`), link);
    }
    assert.ok(links.size > 20, `${links.size} links`);
  });
});

describe('the keyboard', () => {
  it('reaches the content with the first key, and then every page and field, each with a visible focus', async () => {
    const { page } = await open('/build?call=/api/deals');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'content');
    await page.reload();
    const reached = new Set<string>();
    for (let i = 0; i < 80; i += 1) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate<{ name: string; isVisible: boolean } | null>(FOCUSED);
      if (!focused) break;
      assert.ok(focused.isVisible, `the focus on ${focused.name} is visible`);
      reached.add(focused.name);
    }
    for (const expected of [
      ...PAGES.filter((p) => p.label !== undefined).map((p) => p.path),
      'call',
      'state',
      'min_cap',
      'status',
    ])
      assert.ok(reached.has(expected), `${expected} is reached`);
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
    assert.equal(await page.locator('.menu nav a').count(), PAGES.filter((p) => p.label !== undefined).length + 1);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.menu nav').isVisible(), false);
  });
});

describe('a code block', () => {
  it('has a button that copies it, with JavaScript only', async () => {
    const { page } = await openAlone('/', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.click('.copy');
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.equal(copied, await page.locator('pre.code').first().textContent());
    await page.context().close();
    const plain = await open('/', { javaScriptEnabled: false });
    assert.equal(await plain.page.locator('.copy').count(), 0);
  });
});

describe('the example report', () => {
  it('shows each step from rent to NOI, in words instead of codes', async () => {
    const { deal, debt_terms: debt } = (await (await fetch(`${site.url}/api/example_report`)).json()) as ReportBody;
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
    assert.ok(text.includes(`${deal.dscr_stressed ?? ''}×`) && text.includes(debt.bank.rate_on ?? 'assumption'));
    assert.ok(text.includes(RISKS[deal.condition_risk]) && text.includes(CHECKS[deal.expense_check]));
    const codes = [
      deal.rent_steps.mix.basis,
      deal.rent_steps.in_place.basis,
      deal.rent_steps.contract.basis,
      deal.property_tax.rate_basis,
      deal.expense_check,
      ...deal.expense_lines.map(({ basis }) => basis),
    ];
    for (const code of codes.filter((name) => name.includes('_'))) assert.ok(!text.includes(code), code);
  });
});

describeForms({ site: () => site, open });
