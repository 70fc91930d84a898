/** A real Chromium, and pages in it that report what went wrong. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { chromiumPath } from '../../sources/fetch/browser.ts';

export const DESKTOP = { width: 1280, height: 900 };

export const startBrowser = async (): Promise<Browser> =>
  chromium.launch({
    executablePath: await chromiumPath(process.env['CHROMIUM_PATH']),
    args: ['--no-sandbox', '--disable-gpu'],
  });

export interface Opened {
  readonly page: Page;
  /** Console errors but those of a 402, violations of the page's policy, and requests to other hosts. */
  readonly errors: string[];
}

/** An empty page in a context of its own. @param url of the site */
export async function newPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: DESKTOP, baseURL: url, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const errors: string[] = [];
  page.on('console', (message) => {
    const isNews = ['error', 'warning'].includes(message.type()) && !message.text().includes('402');
    if (isNews) errors.push(message.text());
  });
  page.on('pageerror', (error) => {
    errors.push(String(error));
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('blob:'))
      errors.push(`request to ${request.url()}`);
  });
  return { page, errors };
}
