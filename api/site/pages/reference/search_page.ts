/** /reference/search?q=: answers the search form, with and without JavaScript. */
import { html, type Html } from '../../html.ts';
import type { Page } from '../../page.ts';
import { referenceFrame } from './frame.ts';
import { SEARCH_PATH } from './paths.ts';
import { searchReference, type Entry } from './search_index.ts';

/** Entries shown, and the longest query that is read. */
const [MAX_SHOWN, MAX_QUERY, MAX_ABOUT] = [30, 100, 160];

const shortened = (text: string): string => (text.length > MAX_ABOUT ? `${text.slice(0, MAX_ABOUT)}…` : text);

const result = ({ kind, name, of, about, href }: Entry): Html =>
  html`<li>
    <a href="${href}"><code>${name}</code></a> <small>${kind}${of !== '' && ` of ${of}`}</small>
    ${about !== '' && html`<p>${shortened(about)}</p>`}
  </li>`;

function results(query: string, found: readonly Entry[]): Html {
  if (query === '')
    return html`<p>Type a name, a word or a value: <code>cap_rate</code>, <code>tax deed</code>, <code>404</code>.</p>`;
  if (found.length === 0)
    return html`<p>No results for “${query}”. Try a shorter word, or look through the list of pages.</p>`;
  return html`<p>
      ${found.length === 1 ? '1 entry' : `${found.length} entries`} for
      “${query}”${found.length > MAX_SHOWN && `, the first ${MAX_SHOWN} below`}.
    </p>
    <ol class="ref-results">
      ${found.slice(0, MAX_SHOWN).map(result)}
    </ol>`;
}

export const searchPage: Page = {
  path: SEARCH_PATH,
  title: 'Search the reference',
  cache: 'none',
  about: 'Search endpoints, parameters, fields, values and errors of the API.',
  content(context) {
    const query = (context.query.get('q') ?? '').trim().slice(0, MAX_QUERY);
    return referenceFrame(
      context,
      { path: SEARCH_PATH, toc: [], query },
      {
        lead: html`<h1>Search the reference</h1>`,
        content: html`<div id="found" aria-live="polite">
          ${results(query, searchReference(context.site.routes, query))}
        </div>`,
      },
    );
  },
};
