/** The public site over a real snapshot, in a real Chromium: what a reader sees, with and without JavaScript. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { PRICES } from '../../api/routes/prices.ts';
import { PAGES } from '../../api/site/pages/all.ts';
import { startSite, type SiteServer } from './site_server.ts';

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const PATHS = [...PAGES.map((p) => p.path), '/sandbox/buy'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What has the focus, as an expression of the browser, and whether that shows. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  return { name: element.getAttribute('href') ?? element.getAttribute('name') ?? element.textContent, seen: outlineStyle !== 'none' && outlineWidth !== '0px' };
})()`;

let served: SiteServer;
before(async () => {
  served = await startSite();
});
after(async () => {
  await served.close();
});

/** A page and what went wrong on it: errors in its console, violations of its policy, requests to anybody else. */
async function open(path: string, options: BrowserContextOptions = {}): Promise<{ page: Page; wrong: string[] }> {
  const context = await served.browser.newContext({ viewport: DESKTOP, baseURL: served.url, ...options });
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
  });
  page.on('pageerror', (error) => {
    wrong.push(String(error));
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(served.url)) wrong.push(`asked for ${request.url()}`);
  });
  const answer = await page.goto(path);
  assert.equal(answer?.status(), 200, path);
  return { page, wrong };
}

describe('every page', () => {
  for (const path of PATHS) {
    it(`${path} stands on a desktop and on a phone, without an error, a violation of its policy or a word from elsewhere`, async () => {
      for (const viewport of [DESKTOP, PHONE]) {
        const { page, wrong } = await open(path, { viewport });
        assert.equal(await page.locator('h1').count(), 1);
        assert.match(await page.title(), /Dealfeed/);
        const [wide, inner] = await page.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, window.innerWidth]',
        );
        assert.ok(wide <= inner, `${path} is ${wide} wide in a window of ${inner}`);
        assert.deepEqual(wrong, []);
        await page.context().close();
      }
    });
  }

  it('says the same without JavaScript', async () => {
    for (const path of PATHS) {
      const [scripted, plain] = [await open(path), await open(path, { javaScriptEnabled: false })];
      assert.equal(await plain.page.locator('main').innerText(), await scripted.page.locator('main').innerText());
      await Promise.all([scripted.page.context().close(), plain.page.context().close()]);
    }
  });

  it('links only to what is there', async () => {
    const links = new Set<string>();
    for (const path of PATHS) {
      const text = await (await fetch(served.url + path, { headers: { Accept: 'text/html' } })).text();
      const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map((m) => m[1]));
      for (const [, href = ''] of text.matchAll(/ (?:href|src|action)="([^"]+)"/g)) {
        if (href.startsWith('#')) assert.ok(ids.has(href.slice(1)), `${path} links to ${href}`);
        else if (href.startsWith('/')) links.add(href.replaceAll('&amp;', '&'));
      }
    }
    const sections = await (await fetch(`${served.url}/reference`)).text();
    for (const link of links) {
      const [address = '', section] = link.split('#');
      if (section !== undefined) assert.ok(sections.includes(` id="${section}"`), link);
      const { status } = await fetch(served.url + address, { headers: { Accept: 'text/html' } });
      assert.ok(status === 200, `${link} is answered ${status}`);
    }
    assert.ok(links.size > 20, `${links.size} links`);
  });

  // Only colours depend on the scheme.
  for (const [colorScheme, rules] of [
    ['light', '{}'],
    ['dark', "{ runOnly: ['color-contrast'] }"],
  ] as const) {
    it(`has no fault that axe finds, ${colorScheme}`, async () => {
      for (const path of PATHS) {
        const { page } = await open(path, { colorScheme, bypassCSP: true });
        await page.evaluate(AXE);
        const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
          `axe.run({ resultTypes: ['violations'], ...${rules} })`,
        );
        const found = violations.map((v) => `${v.id}: ${v.nodes[0]?.html.slice(0, 200) ?? ''}`);
        assert.deepEqual(found, [], path);
        await page.context().close();
      }
    });
  }
});

describe('the keyboard', () => {
  it('reaches the content by the first key, and every page and field after it, each with a visible focus', async () => {
    const { page } = await open('/build?call=/api/deals');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'content');
    await page.reload();
    const reached = new Set<string>();
    for (let i = 0; i < 60; i += 1) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate<{ name: string; seen: boolean } | null>(FOCUSED);
      if (!at) break;
      assert.ok(at.seen, `the focus on ${at.name} shows`);
      reached.add(at.name);
    }
    for (const wanted of [
      ...PAGES.filter((p) => p.label !== undefined).map((p) => p.path),
      'call',
      'state',
      'min_cap',
      'status',
    ])
      assert.ok(reached.has(wanted), `${wanted} is reached`);
    await page.context().close();
  });
});

describe('the query builder', () => {
  it('gives the exact address and its price without JavaScript, and finds what the call finds', async () => {
    const { page } = await open('/build', { javaScriptEnabled: false });
    await page.selectOption('#call', '/api/signals');
    await page.click('text=Choose this feed');
    await page.fill('#f-min_amount', '5000');
    await page.selectOption('#f-has_address', 'true');
    await page.click('text=Show the address');
    const built = await page.locator('#built').innerText();
    assert.match(built, new RegExp(`\\$${PRICES['/api/signals']} for one call`));
    assert.ok(built.includes('/api/signals?min_amount=5000&has_address=true'), built);
    const matches = Number(/([\d,]+) records match/.exec(built)?.[1]?.replaceAll(',', ''));
    await page.click('text=Buy it with test money');
    await page.click('button[type=submit]');
    const body = await page.locator('[aria-label="Body of the answer 200"]').innerText();
    assert.equal(Number(/"total_matches": (\d+)/.exec(body)?.[1]), matches);
    await page.context().close();
  });

  it('answers while one types, where there is JavaScript', async () => {
    const { page, wrong } = await open('/build?call=/api/deals');
    await page.fill('#f-state', 'OH');
    await page.locator('#built', { hasText: '/api/deals?state=OH' }).waitFor();
    assert.match(page.url(), /state=OH/);
    assert.deepEqual(wrong, []);
    await page.context().close();
  });

  it('refuses what the call would refuse, at its field, and says when nothing matches', async () => {
    const { page } = await open('/build?call=/api/deals&min_score=101', { javaScriptEnabled: false });
    assert.equal(await page.getAttribute('#f-min_score', 'aria-invalid'), 'true');
    assert.match(await page.locator('#built').innerText(), /min_score is "101", expected a whole number from 0 to 100/);
    await page.goto('/build?call=/api/deals&city=Nowhere');
    assert.match(await page.locator('#built').innerText(), /Nothing matches today/);
    await page.context().close();
  });
});

describe('the test purchase', () => {
  it('walks through 402, signature and 200, and the money moves', async () => {
    const { page, wrong } = await open('/sandbox/buy', { javaScriptEnabled: false });
    await page.fill('#call', '/api/deals?limit=1');
    await page.click('button[type=submit]');
    const steps = await page.locator('.step h3').allInnerTexts();
    assert.equal(steps.length, 5);
    assert.deepEqual(await page.locator('.status').allInnerTexts(), ['402', '200']);
    const decoded = async (header: string): Promise<string> =>
      JSON.stringify(JSON.parse(await page.locator(`[aria-label="${header}, decoded"]`).innerText()));
    assert.match(await decoded('PAYMENT-REQUIRED'), /"amount":"50000"/);
    assert.match(await decoded('PAYMENT-SIGNATURE'), /"authorization":\{.*"value":"50000"/);
    assert.match(await decoded('PAYMENT-RESPONSE'), /"success":true.*"transaction":"0x[0-9a-f]{64}"/);
    const said = await page.locator('.outcome').innerText();
    const [before_, after_] = [...said.matchAll(/\$(\d+\.\d{6})/g)].map((m) => Number(m[1]));
    assert.equal(((before_ ?? 0) - (after_ ?? 0)).toFixed(6), '0.050000');
    assert.deepEqual(wrong, []);
    await page.context().close();
  });

  it('charges nothing for what matches nothing or is refused', async () => {
    const { page } = await open('/sandbox/buy', { javaScriptEnabled: false });
    for (const [call, status] of [
      ['/api/deals?city=Nowhere', '404'],
      ['/api/deals?min_score=x', '400'],
    ] as const) {
      await page.fill('#call', call);
      await page.click('button[type=submit]');
      assert.match(
        await page.locator('.outcome').innerText(),
        new RegExp(`Nothing was charged: the answer was ${status}`),
      );
    }
    await page.context().close();
  });

  it('buys only what is sold here, and only from its own page', async () => {
    const post = (call: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${served.url}/sandbox/buy`, { method: 'POST', body: new URLSearchParams({ call }), headers });
    for (const call of ['https://elsewhere.example/', '//elsewhere.example/api/deals', '/api/meta', '/health', '']) {
      const answer = await post(call);
      assert.equal(answer.status, 400, call);
      assert.match(await answer.text(), /not the path of a priced endpoint/);
    }
    assert.equal((await post('/api/deals', { 'Sec-Fetch-Site': 'cross-site' })).status, 400);
    assert.equal((await post('x'.repeat(10_000))).status, 400);
  });
});
