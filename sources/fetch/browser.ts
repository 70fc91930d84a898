/**
 * Renders pages whose rows are created by a script, in headless Chromium.
 *
 * The browser has no network of its own: `fetchOne` fetches each resource under the same rules as any page (robots.txt,
 * hosts, rate limit, user agent). Images and the like are blocked. The result is the document once the rows exist.
 *
 * Chromium is the operator's (CHROMIUM_PATH), else the system's, else that of @sparticuz/chromium, which is installed
 * for development only.
 */
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import pRetry from 'p-retry';
import type { Browser, BrowserContext, Route } from 'playwright-core';
import { type HttpResponse, TransportError } from './transport.ts';

/** Fetches the page, or a resource that it loads, with a decoded body. */
type SendOne = (url: URL) => Promise<HttpResponse>;

export interface Renderer {
  /**
   * @param waitFor selector of an element that exists once the rows do; after a timeout the document is taken as it is
   * @param fetchOne fetches a resource with a decoded body
   * @returns the document, or the site's response if its status is not 200
   * @throws TransportError if there is no browser or the page does not load
   */
  render(url: URL, waitFor: string, userAgent: string, fetchOne: SendOne): Promise<HttpResponse>;
  close(): Promise<void>;
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** Types of resources that may change a document's text. */
const NEEDED_TYPES: ReadonlySet<string> = new Set(['document', 'script', 'xhr', 'fetch']);
const WAIT_MS = 15_000;
const LOAD_MS = 30_000;

/**
 * Path of Chromium: the operator's, else the system's, else the package's.
 * @throws TransportError if there is none
 */
export async function chromiumPath(named?: string): Promise<string> {
  if (named !== undefined) return named;
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const name of NAMES) {
      const path = join(folder, name);
      const isThere = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isThere) return path;
    }
  }
  const packaged = await import('@sparticuz/chromium').catch(() => {
    throw new TransportError(
      'unreachable',
      'no Chromium found on this machine, and the development packages are not installed. ' +
        'Install Chromium and set CHROMIUM_PATH, or run: make setup',
    );
  });
  return packaged.default.executablePath();
}

async function launch(named: string | undefined): Promise<Browser> {
  try {
    const { chromium } = await import('playwright-core');
    const executablePath = await chromiumPath(named);
    // ETXTBSY: another process still unpacks the package's Chromium.
    return await pRetry(() => chromium.launch({ executablePath, headless: true, args: FLAGS, timeout: LOAD_MS }), {
      shouldRetry: ({ error }) => error.message.includes('ETXTBSY'),
    });
  } catch (error) {
    if (error instanceof TransportError) throw error;
    // Only the first line: the rest is the browser's log, with paths of this machine.
    throw new TransportError('unreachable', `Chromium cannot be started (set CHROMIUM_PATH): ${firstLine(error)}`);
  }
}

const firstLine = (error: unknown): string =>
  ((error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '').slice(0, 200);

/** Headers of a response whose body is complete and decoded. */
const decodedHeaders = ({ headers }: HttpResponse): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !['content-encoding', 'content-length', 'transfer-encoding'].includes(name),
    ),
  );

/** Fulfill one request of the page. */
async function handleRoute(
  route: Route,
  page: { readonly url: string; readonly response: HttpResponse },
  fetchOne: SendOne,
): Promise<void> {
  const request = route.request();
  if (request.method() !== 'GET' || !NEEDED_TYPES.has(request.resourceType())) return route.abort('blockedbyclient');
  try {
    const response =
      request.isNavigationRequest() && request.url() === page.url
        ? page.response
        : await fetchOne(new URL(request.url()));
    // The browser would follow a redirect of a resource without checks.
    if (response.status >= 300 && response.status < 400) return await route.abort('blockedbyclient');
    return await route.fulfill({
      status: response.status,
      headers: decodedHeaders(response),
      body: Buffer.from(response.body),
    });
  } catch {
    // A resource that cannot be fetched is missing from the page.
    return route.abort('failed').catch(() => {});
  }
}

/** @param named path of the operator's Chromium */
export function createRenderer(named?: string): Renderer {
  let browser: Promise<Browser> | undefined;

  async function render(url: URL, waitFor: string, userAgent: string, fetchOne: SendOne): Promise<HttpResponse> {
    const response = await fetchOne(url);
    if (response.status !== 200) return response;
    browser ??= launch(named);
    let context: BrowserContext | undefined;
    try {
      context = await (await browser).newContext({ userAgent, serviceWorkers: 'block', acceptDownloads: false });
      await context.route('**/*', (route) => handleRoute(route, { url: url.href, response }, fetchOne));
      const page = await context.newPage();
      await page.goto(url.href, { waitUntil: 'domcontentloaded', timeout: LOAD_MS });
      await page.waitForSelector(waitFor, { state: 'attached', timeout: WAIT_MS }).catch(() => null);
      const body = new TextEncoder().encode(`${await page.content()}\n`);
      return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, setCookie: [], body };
    } catch (error) {
      if (error instanceof TransportError) throw error;
      throw new TransportError('unreachable', `the page does not load in Chromium: ${firstLine(error)}`);
    } finally {
      await context?.close().catch(() => {});
    }
  }

  return {
    render,
    close: async () => {
      await (await browser?.catch(() => undefined))?.close();
    },
  };
}
