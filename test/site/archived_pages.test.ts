/** Archived pages as text: hostile bytes are refused or inert, and no byte is shown that does not verify. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import {
  archivedPages,
  MAX_DECODED_BYTES,
  MAX_STORED_BYTES,
  visibleText,
} from '../../api/site/archive/archived_pages.ts';
import { excerpt } from '../../api/site/archive/cited_pages.ts';
import { archivePage } from '../lib/archive_files.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';

const archive = memoryFolder('dealfeed-archived-');

/** Archive a body as the fetcher does. @returns its SHA-256 */
const store = (body: Uint8Array | string): Promise<string> =>
  archivePage(archive, body, { url: 'https://www.broker.example/' });
const read = (hash: string) => archivedPages(archive).read(hash);

describe('an archived page', () => {
  it('is decoded as it was sent, whatever the encoding', async () => {
    for (const [encoding, encode] of [
      ['identity', Buffer.from],
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
    ] as const) {
      const { text, bytes } = await read(await store(encode(`<h1>Café ${encoding}</h1>`)));
      assert.equal(text, `Café ${encoding}`);
      assert.ok(bytes.length > 0);
    }
  });

  it('is not decoded beyond a limit: a gzip bomb shows no text', async () => {
    const bomb = gzipSync(Buffer.alloc(MAX_DECODED_BYTES + 1, 'a'));
    assert.ok(bomb.length < 100_000);
    assert.equal((await read(await store(bomb))).text, null);
  });

  it('is not read if it is huge, and shows no text if it is a workbook', async () => {
    await assert.rejects(read(await store(Buffer.alloc(MAX_STORED_BYTES + 1))), { reason: 'not_found' });
    assert.equal((await read(await store(zipSync({ 'a.xml': Buffer.from('<p>a</p>') })))).text, null);
  });
});

describe('the text of a page', () => {
  it('has the visible text and the structured data, and no script, style or markup', async () => {
    const page =
      '<title>A list</title><style>p{}</style><script>steal()</script><template>not shown</template>' +
      '<p onclick="steal()">12 <b>Main</b>&nbsp;St</p><table><tr><td>a<td>b</table><svg><text>no</text></svg>' +
      '<script type="application/ld+json">{"price": "$1"}</script><noscript>no</noscript><p>end';
    assert.equal(await visibleText(page), 'A list\n12 Main St\na\tb\n{"price": "$1"}\nend');
  });

  it('survives markup that is never closed, and a million open elements', async () => {
    assert.equal(await visibleText('<p>seen<script>never closed'), 'seen');
    assert.equal(await visibleText(`seen${'<div>'.repeat(1_000_000)}too deep`), 'seen');
    // The parser compares each end tag with all open elements: 5,000 of them would take half a minute per 8 MiB.
    assert.equal(await visibleText(`seen${'<div>'.repeat(300)}too deep`), 'seen');
    assert.equal(await visibleText(`${'<div>'.repeat(200)}seen`), 'seen');
  });

  it('is cut to the lines that the report cites', () => {
    const lines = Array.from({ length: 200 }, (_, n) => `line ${n}`).join('\n');
    const shown = excerpt(lines, ['LINE 100', 'line 101']);
    assert.deepEqual(
      shown.filter(({ isHit }) => isHit).map(({ line }) => line),
      ['line 100', 'line 101'],
    );
    assert.equal(shown[0]?.line, 'line 96');
    assert.deepEqual(excerpt(lines, ['nowhere']), []);
  });
});
