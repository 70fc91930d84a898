/** A page for each endpoint: parameters, an example in three languages, a sample response, its fields, and errors. */
import { codeExamples } from '../../../docs/code_examples.ts';
import { PROBLEMS } from '../../../http/problem.ts';
import type { Route } from '../../../routes/define.ts';
import { html, type Html, type Piece } from '../../html.ts';
import { code } from '../../layout.ts';
import type { Page, PageContext } from '../../page.ts';
import { referenceFrame, type Section } from './frame.ts';
import { answerAnchor, costOf, modelOf, type Body, type Endpoint } from './model.ts';
import { ERRORS_PATH, errorPath, LISTS_PATH, REFERENCE } from './paths.ts';
import { sampleAnswer } from './sample_answer.ts';
import { fieldTable, listed, paramTable } from './tables.ts';

/** Titles and texts of statuses that are not errors. */
const STATUSES: Readonly<Record<string, string>> = {
  200: 'OK',
  202: 'Accepted',
  304: 'Not modified',
};

/** The buyer's network and the id of a deal that this server has. */
function exampleTarget({ site, meta }: PageContext) {
  const [network = ''] = meta.pricing['network']?.split(', ') ?? [];
  const deal: unknown = meta.free_samples.deals[0]?.['id'];
  return { publicUrl: site.publicUrl, network, ...(typeof deal === 'string' ? { path: { id: deal } } : {}) };
}

/** The languages as radio buttons: the choice works without JavaScript, and is remembered with it. */
function examples(route: Route, context: PageContext): Html {
  const all = codeExamples(route, exampleTarget(context));
  return html`<fieldset class="ref-tabs">
    <legend class="sr">Language of the example</legend>
    ${all.map(
      ({ id, label }, i) =>
        html`<input type="radio" name="lang" id="lang-${id}" value="${id}" ${i === 0 ? html` checked` : ''} /><label
            for="lang-${id}"
            >${label}</label
          >`,
    )}
    ${all.map(({ label, text }) => html`<div>${code(`The call in ${label}`, text)}</div>`)}
  </fieldset>`;
}

async function exampleColumn(route: Route, context: PageContext): Promise<Html> {
  const { text, isShortened, isLive } = await sampleAnswer(route, context);
  const cut = isShortened ? ' … marks what is left out.' : '';
  return html`<section id="example">
      <h2>Example</h2>
      ${examples(route, context)}
    </section>
    <section id="answer">
      <h2>Response</h2>
      ${code('A sample response', text)}
      <p>
        <small
          >${isLive ? 'From the current snapshot.' : 'Made from sample records; nothing in it is real.'}${cut}</small
        >
      </p>
    </section>`;
}

const PROBLEM_FIELDS = html`<p>With the fields of <a href="${ERRORS_PATH}#problem">every problem document</a>.</p>`;

const BODIES: Readonly<Record<Body['kind'], { readonly id: string; readonly title: string }>> = {
  answer: { id: 'fields-of-answer', title: 'Response fields' },
  template: { id: 'fields-of-template', title: 'Fields of the free response to the path template' },
  miss: { id: 'fields-of-miss', title: 'Fields of the 404' },
};

/** The fields, or a link to the endpoint that has the same. Enums link to fields with values. */
const bodyTable = (body: Body, { path }: Endpoint, { site }: PageContext): Html => {
  const { rows, sameAs, kind } = body;
  return sameAs
    ? html`<p>
        The same fields as <a href="${sameAs.href}#fields-of-answer"><code>${sameAs.path}</code></a
        >.
      </p>`
    : fieldTable(`${BODIES[kind].title} of ${path}`, rows, modelOf(site.routes).enums, (row) =>
        answerAnchor(row, body),
      );
};

const bodies = (endpoint: Endpoint, context: PageContext): Piece =>
  endpoint.bodies.map(
    (body) =>
      html`<section id="${BODIES[body.kind].id}">
        <h2>${BODIES[body.kind].title}</h2>
        ${body.kind === 'template' && html`<p>${endpoint.route?.template?.about}</p>`}
        ${body.kind === 'miss' && PROBLEM_FIELDS} ${bodyTable(body, endpoint, context)}
      </section>`,
  );

const statuses = ({ outcomes }: Endpoint): Html =>
  html`<table class="ref-fields ref-statuses" role="table" aria-label="Statuses">
    <thead role="rowgroup">
      <tr role="row">
        <th scope="col" role="columnheader">Status</th>
        <th scope="col" role="columnheader">Meaning</th>
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${outcomes.map(
        ({ status, description, reasons }) =>
          html`<tr role="row">
            <th scope="row" role="rowheader"><code>${status}</code><small>${STATUSES[status]}</small></th>
            <td role="cell">
              ${
                reasons.length === 0
                  ? description
                  : html`${listed(
                      reasons.map(
                        (reason) => html`<a href="${errorPath(reason)}">${reason}</a>: ${PROBLEMS[reason].title}`,
                      ),
                      '; ',
                    )}.`
              }
            </td>
          </tr>`,
      )}
    </tbody>
  </table>`;

const lead = (endpoint: Endpoint): Html =>
  html`<p class="ref-group">${endpoint.group}</p>
    <h1><code>${endpoint.path}</code></h1>
    <p class="lead">${endpoint.summary}</p>
    <p class="ref-cost">
      <span class="${endpoint.isFree ? 'tag good' : 'tag'}">GET, ${costOf(endpoint)}</span>
      ${endpoint.isFree ? '' : html`<a href="${REFERENCE}#paying">How to pay</a>`}
      ${
        endpoint.route && !endpoint.isFree && !endpoint.path.includes('{') && !endpoint.route.media
          ? html`<a href="/build?call=${endpoint.path}">Build a query</a>`
          : ''
      }
    </p>`;

const isList = ({ mediaTypes }: Endpoint): boolean => mediaTypes.length > 1;

/** Collecting a purchase has no example: its answer is that of another call. */
const collectText = html`<p>
  The first response is 401, with a challenge in <code>sign_in</code>. Sign it with the wallet that paid, and send the
  request again with <code>SIGN-IN-WITH-X</code>. <code>make collect RECEIPT=</code> does both.
</p>`;

async function content(endpoint: Endpoint, context: PageContext): Promise<Html> {
  const { enums } = modelOf(context.site.routes);
  const { params, route, path } = endpoint;
  const toc: Section[] = [
    ...(params.length > 0 ? [{ id: 'parameters', title: 'Parameters' }] : []),
    ...(route
      ? [
          { id: 'example', title: 'Example' },
          { id: 'answer', title: 'Response' },
        ]
      : []),
    ...(endpoint.bodies.length > 0 ? [{ id: 'fields-of-answer', title: 'Fields' }] : []),
    { id: 'statuses', title: 'Statuses and errors' },
  ];
  return referenceFrame(
    context,
    { path: endpoint.href, toc, ...(route ? { sideColumn: await exampleColumn(route, context) } : {}) },
    {
      lead: lead(endpoint),
      content: html`${!route && collectText}
        ${
          params.length > 0
            ? html`<section id="parameters">
                <h2>Parameters</h2>
                ${paramTable(`Parameters of ${path}`, params, enums)}
              </section>`
            : html`<p>This call takes no parameters.</p>`
        }
        ${
          isList(endpoint) &&
          html`<p><a href="${LISTS_PATH}">Pages, fields, CSV and changes</a> work the same way for every list.</p>`
        }
        ${bodies(endpoint, context)}
        <section id="statuses">
          <h2>Statuses and errors</h2>
          ${statuses(endpoint)}
        </section>`,
    },
  );
}

/** The page of an operation. What it shows is read when it is rendered. */
export const endpointPage = (operation: { readonly name: string; readonly path: string }, path: string): Page => ({
  path,
  title: operation.path,
  cache: 'snapshot',
  about: `${operation.path}: parameters, price, examples in curl, TypeScript and Python, a sample response and errors.`,
  content(context) {
    const endpoint = modelOf(context.site.routes).endpoints.find(({ name }) => name === operation.name);
    if (!endpoint) throw new Error(`there is no operation ${operation.name}`);
    return content(endpoint, context);
  },
});
