/** Parts of the sandbox's HTML pages: the banner that marks them as made up, escaping, and printed amounts. */

const BANNER = 'SANDBOX: this page and everything on it is made up.';

/** Escape text for HTML or XML. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const BANNER_STYLE = 'background:#ffd54d;color:#222;padding:.5em 1em;font:bold 14px sans-serif';
const banner = `<div class="sandbox-banner" role="note" style="${BANNER_STYLE}">${BANNER}</div>`;

/** A page with a banner; `head` and `body` are markup. */
export const htmlPage = (title: string, body: string, head = ''): string =>
  `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
${head}</head>
<body>
${banner}
${body}
</body>
</html>
`;

/** A JSON-LD script element. Escapes `<`, so that the data cannot close it. */
export const jsonLd = (value: unknown): string =>
  `<script type="application/ld+json">\n${JSON.stringify(value, null, 1).replaceAll('<', '\\u003c')}\n</script>\n`;

/** "$1,250,000" */
export const wholeDollars = (amount: string): string =>
  `$${amount.replace(/\.\d\d$/u, '').replace(/\B(?=(\d{3})+$)/gu, ',')}`;

/** "$133,334.00" */
export const fullDollars = (amount: string): string => `${wholeDollars(amount)}${amount.slice(-3)}`;

/** A listing's price as brokers print it. */
export const priceText = (price: string | null): string => (price === null ? 'Call for price' : wholeDollars(price));
