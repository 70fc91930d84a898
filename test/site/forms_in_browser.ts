/** The forms of the site in a browser: the query builder and the test purchase. Run by site_browser.test.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page, ViewportSize } from 'playwright-core';
import { PRICES } from '../../api/routes/prices.ts';
import type { SiteServer } from './site_server.ts';

export interface OpenOptions {
  /** Default: true. */
  readonly javaScriptEnabled?: boolean;
  /** Default: that of a desktop. */
  readonly viewport?: ViewportSize;
}

interface Browsing {
  readonly site: () => SiteServer;
  /** Open a page that the tests share. */
  readonly open: (path: string, options?: OpenOptions) => Promise<{ page: Page; errors: string[] }>;
}

export function describeForms({ site, open }: Browsing): void {
  describe('the query builder', () => {
    it('shows the exact URL and its price without JavaScript, and the range of what the call returns', async () => {
      const { page } = await open('/build', { javaScriptEnabled: false });
      await page.selectOption('#call', '/api/signals');
      await page.click('text=Choose this endpoint');
      await page.selectOption('#f-state', 'OH');
      await page.selectOption('#f-signal_type', 'tax_delinquent');
      await page.click('text=Show the matches');
      const built = await page.locator('#built').innerText();
      assert.match(built, new RegExp(`\\$${PRICES['/api/signals']} for one call`));
      assert.ok(built.includes('/api/signals?state=OH&signal_type=tax_delinquent'), built);
      const [, least = '', most = ''] = /([\d,]+) to ([\d,]+) records match/.exec(built) ?? [];
      const [atLeast, atMost] = [least, most].map((text) => Number(text.replaceAll(',', '')));
      await page.click('text=Buy it with test money');
      await page.click('button[type=submit]');
      const body = await page.locator('[aria-label="Body of the 200 response"]').innerText();
      const total = Number(/"total_matches": (\d+)/.exec(body)?.[1]);
      assert.ok(atLeast !== undefined && atMost !== undefined && total >= atLeast && total <= atMost, built);
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
        assert.equal(await page.getAttribute(`#f-${name}`, 'aria-describedby'), `error-${name} about-${name}`);
      assert.match(await page.locator('#error-min_score').innerText(), /“101” is not a whole number from 0 to 100/);
      assert.match(await page.locator('#error-max_price').innerText(), /2 is below “Asking price from”, which is 5/);
      await links.first().click();
      assert.equal(await page.evaluate('document.activeElement.id'), 'f-min_score');
      assert.equal(await page.locator('#built .button').count(), 0);
    });

    it('names the fields in words where the call refuses filters together', async () => {
      const { page } = await open('/build?call=/api/auctions&to_date=2020-01-01', { javaScriptEnabled: false });
      assert.match(await page.locator('#error-to_date').innerText(), /^“Last day” is 2020-01-01, below “First day”/u);
      assert.match(await page.locator('#f-state').innerText(), /Ohio \(OH\)/u);
    });

    it('sells nothing where nothing matches', async () => {
      const { page } = await open('/build?call=/api/deals&city=Nowhere', { javaScriptEnabled: false });
      assert.match(await page.locator('#built').innerText(), /No match today/);
      assert.equal(await page.locator('#built .button').count(), 0);
    });

    it('shows a sample that obeys the filters and has no value that is for sale', async () => {
      const { page } = await open('/build?call=/api/deals&state=OH&min_cap=7&min_dscr=1.2&max_units=1', {
        javaScriptEnabled: false,
      });
      const built = await page.locator('#built').innerText();
      assert.match(built, /without “Advertised cap rate from”.*“Debt coverage from”.*: the free count supports/);
      const shape = JSON.parse(
        await page.locator('[aria-label="The shape of a matching record"]').innerText(),
      ) as object;
      assert.deepEqual(
        Object.fromEntries(Object.entries(shape).filter(([, value]) => !/^\(.*\)$/u.test(String(value)))),
        { state: 'OH', units: '≤ 1', cap_rate: '≥ 7', dscr: '≥ 1.2' },
      );
      assert.match(built, /The index cannot check these filters: Debt coverage from/);
    });
  });

  describe('the test purchase', () => {
    it('shows the 402, the signature and the 200, and the money moves', async () => {
      const { page, errors } = await open('/sandbox/buy', { javaScriptEnabled: false });
      await page.fill('#call', '/api/deals?limit=1');
      await page.click('button[type=submit]');
      assert.equal((await page.locator('.step h3').allInnerTexts()).length, 5);
      assert.deepEqual(await page.locator('.status').allInnerTexts(), ['402', '200']);
      const decoded = async (header: string): Promise<string> =>
        JSON.stringify(JSON.parse(await page.locator(`[aria-label="${header}, decoded"]`).innerText()));
      assert.match(await decoded('PAYMENT-REQUIRED'), /"amount":"50000"/);
      assert.match(await decoded('PAYMENT-SIGNATURE'), /"authorization":\{.*"value":"50000"/);
      assert.match(await decoded('PAYMENT-RESPONSE'), /"success":true.*"transaction":"0x[0-9a-f]{64}"/);
      const outcome = await page.locator('.outcome').innerText();
      const [balanceBefore = 0, balanceAfter = 0] = [...outcome.matchAll(/\$(\d+\.\d{6})/g)].map((m) => Number(m[1]));
      assert.equal((balanceBefore - balanceAfter).toFixed(6), '0.050000');
      assert.deepEqual(errors, []);
    });

    it('is free if nothing matches or the request is refused', async () => {
      const { page } = await open('/sandbox/buy', { javaScriptEnabled: false });
      for (const [call, status] of [
        ['/api/deals?city=Nowhere', '404'],
        ['/api/deals?min_score=x', '400'],
      ] as const) {
        await page.fill('#call', call);
        await page.click('button[type=submit]');
        assert.match(
          await page.locator('.outcome').innerText(),
          new RegExp(`Nothing was charged: the response was ${status}`),
        );
      }
    });

    it('buys only priced endpoints of this server, and only from its own page', async () => {
      const post = (call: string, headers: Record<string, string> = {}): Promise<Response> =>
        fetch(`${site().url}/sandbox/buy`, { method: 'POST', body: new URLSearchParams({ call }), headers });
      for (const call of ['https://elsewhere.example/', '//elsewhere.example/api/deals', '/api/meta', '/health', '']) {
        const response = await post(call);
        assert.equal(response.status, 400, call);
        assert.match(await response.text(), /not the path of a priced endpoint/);
      }
      assert.equal((await post('/api/deals', { 'Sec-Fetch-Site': 'cross-site' })).status, 400);
      assert.equal((await post('x'.repeat(10_000))).status, 400);
    });
  });
}
