/** /reference/enums: every closed list of values, and a page for those of each record with their meanings and uses. */
import { html, type Html, type Piece } from '../../html.ts';
import type { Page } from '../../page.ts';
import { CALLS, meaningsOf, OWNERS, type EnumEntry, type EnumUse, type Meanings } from './enums.ts';
import { referenceFrame } from './frame.ts';
import { modelOf } from './model.ts';
import { ENUMS_PATH, enumsPath } from './paths.ts';
import { listed } from './tables.ts';

/** The use that explains most values. */
function explained({ values, uses }: EnumEntry): Meanings {
  const all = uses.map(({ about }) => meaningsOf(values, about));
  return all.reduce<Meanings>(
    (best, next) => (next.of.size > best.of.size ? next : best),
    all[0] ?? { intro: '', of: new Map() },
  );
}

/** Links to fields of records and to parameters; to fields of answers if there are no others. */
function useLinks(uses: readonly EnumUse[]): Piece {
  const own = uses.filter(({ isAnswer }) => isAnswer !== true);
  const shown = own.length > 0 ? own : uses;
  return listed(shown.map(({ name, owner, href }) => html`<a href="${href}">${owner} ${name}</a>`));
}

function section(entry: EnumEntry): Html {
  const { intro, of } = explained(entry);
  const plain = entry.values.filter((value) => !of.has(value));
  return html`<section id="${entry.id}" class="ref-enum">
    <h2><code>${entry.id}</code></h2>
    ${intro !== '' && html`<p>${intro.endsWith('.') ? intro : `${intro}.`}</p>`}
    ${
      of.size > 0 &&
      html`<dl>
        ${[...of].map(
          ([value, meaning]) =>
            html`<dt><code>${value}</code></dt>
              <dd>${meaning}</dd>`,
        )}
      </dl>`
    }
    ${plain.length > 0 && html`<p class="ref-values">${plain.map((value) => html`<code>${value}</code> `)}</p>`}
    <p class="ref-names">Used by ${useLinks(entry.uses)}</p>
  </section>`;
}

const titleOf = (owner: string): string => (owner === CALLS ? 'Enums of calls' : `Enums of the ${owner} record`);

const ownerPage = (owner: string): Page => ({
  path: enumsPath(owner),
  title: titleOf(owner),
  cache: 'snapshot',
  about: `${titleOf(owner)}: every value with its meaning, and the fields and parameters that have it.`,
  content(context) {
    const all = modelOf(context.site.routes).enums.all.filter((entry) => entry.owner === owner);
    return referenceFrame(
      context,
      { path: ENUMS_PATH, toc: all.map(({ id }) => ({ id, title: id })) },
      {
        lead: html`<p class="ref-group"><a href="${ENUMS_PATH}">Enums</a></p>
          <h1>${titleOf(owner)}</h1>`,
        content: all.map(section),
      },
    );
  },
});

const index: Page = {
  path: ENUMS_PATH,
  title: 'Enums',
  cache: 'snapshot',
  about: 'Every closed list of values in fields, parameters and responses.',
  content(context) {
    const { enums } = modelOf(context.site.routes);
    return referenceFrame(
      context,
      { path: ENUMS_PATH, toc: OWNERS.map((owner) => ({ id: owner, title: owner })) },
      {
        lead: html`<p class="ref-group">Records</p>
          <h1>Enums</h1>
          <p class="lead">
            ${enums.all.length} closed lists of values. Each is described once, on the page of the record that has it.
          </p>`,
        content: OWNERS.map(
          (owner) =>
            html`<section id="${owner}">
              <h2><a href="${enumsPath(owner)}">${titleOf(owner)}</a></h2>
              <dl class="ref-groups">
                ${enums.all
                  .filter((entry) => entry.owner === owner)
                  .map(
                    ({ id, values }) =>
                      html`<dt><a href="${enums.hrefOf(values)}">${id}</a></dt>
                        <dd class="ref-names">${values.join(', ')}</dd>`,
                  )}
              </dl>
            </section>`,
        ),
      },
    );
  },
};

export const ENUM_PAGES: readonly Page[] = [index, ...OWNERS.map(ownerPage)];
