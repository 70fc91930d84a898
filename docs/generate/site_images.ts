/** Draws the images of the site into api/site/images/ with Chromium: the link preview and favicon.ico. Run by hand. */
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { chromiumPath } from '../../sources/fetch/browser.ts';
import { FAVICON, PREVIEW_SIZE } from '../../api/site/images.ts';

const folder = fileURLToPath(new URL('../../api/site/images/', import.meta.url));
const ICON_SIZE = 32;

const PREVIEW = `<!doctype html><style>
  body { margin: 0; width: 1200px; height: 630px; background: #f8faf9; color: #15201d; display: flex;
    flex-direction: column; justify-content: center; gap: 34px; padding: 0 90px; box-sizing: border-box;
    font-family: "Open Sans", "DejaVu Sans", Arial, sans-serif; border-bottom: 18px solid #0b7a69; }
  h1 { margin: 0; font-size: 92px; letter-spacing: -2px; display: flex; align-items: center; gap: 28px; }
  svg { width: 120px; height: 120px; }
  p { margin: 0; font-size: 36px; line-height: 1.4; color: #4c5b56; text-wrap: balance; }
  b { color: #b85f0b; font-weight: 600; }
</style><h1>${FAVICON}Dealfeed</h1>
<p>Small multifamily deals, distress signals and auctions from public pages. Every figure explained.</p>
<p><b>Priced per call, paid with x402.</b> No account, no key.</p>`;

async function draw(browser: Browser, content: string, size: { width: number; height: number }): Promise<Buffer> {
  const page = await browser.newPage({ viewport: size });
  await page.setContent(content);
  const image = await page.screenshot({ omitBackground: true });
  await page.close();
  return image;
}

/** An ICO file with one PNG image of this width and height. */
function icoOf(png: Buffer, size: number): Buffer {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(1, 4);
  header.writeUInt8(size, 6);
  header.writeUInt8(size, 7);
  header.writeUInt16LE(1, 10);
  header.writeUInt16LE(32, 12);
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}

const browser = await chromium.launch({
  executablePath: await chromiumPath(process.env['CHROMIUM_PATH']),
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}preview.png`, await draw(browser, PREVIEW, PREVIEW_SIZE));
  const icon = `<!doctype html><style>body { margin: 0 } svg { display: block; width: 100vw }</style>${FAVICON}`;
  const png = await draw(browser, icon, { width: ICON_SIZE, height: ICON_SIZE });
  await writeFile(`${folder}favicon.ico`, icoOf(png, ICON_SIZE));
} finally {
  await browser.close();
}
