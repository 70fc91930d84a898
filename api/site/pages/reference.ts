/** /reference: the OpenAPI document as a page. */
import { openApi } from '../../docs/openapi.ts';
import { html, type Html } from '../html.ts';
import { wideTable } from '../layout.ts';
import type { Page } from '../page.ts';

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface Operation {
  readonly summary: string;
  readonly 'x-price-usd': string;
  readonly 'x-price-for-each'?: string;
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }
    >
  >;
}
interface Document {
  readonly info: { readonly description: string; readonly version: string };
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const refName = ($ref: string): string => $ref.split('/').at(-1) ?? '';
const linkTo = (name: string): Html => html`<a href="#schema-${name}">${name}</a>`;

/** The type of a value in words; a named record is linked. */
function typeOf(s: Schema): Html {
  if (s.$ref !== undefined) return linkTo(refName(s.$ref));
  if (s.anyOf) return html`${s.anyOf.map((a, i) => html`${i > 0 ? ' or ' : ''}${typeOf(a)}`)}`;
  if (s.const !== undefined) return html`<code>${JSON.stringify(s.const)}</code>`;
  if (s.enum) return html`${s.enum.map((v, i) => html`${i > 0 ? ', ' : 'one of '}<code>${String(v)}</code>`)}`;
  if (s.type === 'array') return html`list of ${s.items ? typeOf(s.items) : 'values'}`;
  if (s.type === 'object' && typeof s.additionalProperties === 'object' && !s.properties)
    return html`map of names to ${typeOf(s.additionalProperties)}`;
  if (s.format !== undefined) return html`${s.format}`;
  if (s.minimum !== undefined || s.maximum !== undefined)
    return html`${s.type ?? 'value'} ${s.minimum ?? ''} to ${s.maximum ?? ''}`;
  return html`${s.type ?? 'any value'}`;
}

/** The object inside a schema whose fields are listed. */
function objectIn(s: Schema): Schema | undefined {
  if (s.properties) return s;
  if (s.items) return objectIn(s.items);
  return s.anyOf?.map(objectIn).find(Boolean);
}

const fields = (name: string, of: Schema, head: string): Html =>
  wideTable(
    `Fields of ${name}`,
    html`<table>
      <thead>
        <tr>
          <th scope="col">${head}</th>
          <th scope="col">Type</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${Object.entries(of.properties ?? {}).map(([key, s]) => {
          const inner = s.$ref === undefined ? objectIn(s) : undefined;
          return html`<tr>
            <th scope="row"><code>${key}</code></th>
            <td>${typeOf(s)}</td>
            <td>
              ${s.description ?? ''}${
                inner?.properties &&
                html`<dl class="headers">
                  ${Object.entries(inner.properties).map(
                    ([k, v]) =>
                      html`<div>
                        <dt><code>${k}</code></dt>
                        <dd>${typeOf(v)}${v.description !== undefined && html`. ${v.description}`}</dd>
                      </div>`,
                  )}
                </dl>`
              }
            </td>
          </tr> `;
        })}
      </tbody>
    </table>`,
  );

function operation(path: string, op: Operation, idOf: (path: string) => string): Html {
  const [type, body] = Object.entries(op.responses['200']?.content ?? {})[0] ?? [];
  const price = op['x-price-usd'];
  const { 'x-price-for-each': unit } = op;
  const cost = unit === undefined ? `$${price}` : `$${price} for each ${unit}`;
  return html`<section id="${idOf(path)}">
    <h3>
      <code>GET ${path}</code>
      ${price === '0.00' ? html`<span class="tag good">free</span>` : html`<span class="tag">${cost}</span>`}
    </h3>
    <p>${op.summary}</p>
    ${
      op.parameters.length > 0 &&
      wideTable(
        `Parameters of ${path}`,
        html`<table>
          <thead>
            <tr>
              <th scope="col">Parameter</th>
              <th scope="col">Type</th>
              <th scope="col">Meaning</th>
            </tr>
          </thead>
          <tbody>
            ${op.parameters.map(
              (p) =>
                html`<tr>
                  <th scope="row">
                    <code>${p.name}</code>${p.required && html`<span class="sub">required, in the ${p.in}</span>`}
                  </th>
                  <td>${typeOf(p.schema)}</td>
                  <td>${p.description ?? ''}</td>
                </tr>`,
            )}
          </tbody>
        </table>`,
      )
    }
    <details>
      <summary>Responses</summary>
      <dl class="headers">
        ${Object.entries(op.responses).map(
          ([status, r]) =>
            html`<div>
              <dt>${status}${status === '200' && type !== undefined ? html` <span class="sub">${type}</span>` : ''}</dt>
              <dd>${r.description}${status === '200' && body ? html` Body: ${typeOf(body.schema)}.` : ''}</dd>
            </div>`,
        )}
      </dl>
    </details>
  </section>`;
}

export const reference: Page = {
  path: '/reference',
  label: 'Reference',
  title: 'Reference',
  cache: 'snapshot',
  about: 'Every endpoint, parameter, response and field, from the OpenAPI description.',
  content({ site }) {
    const document = openApi(site.routes, site.publicUrl) as unknown as Document;
    const paths = Object.entries(document.paths);
    // Anchors are paths in router syntax, which other pages link to.
    const idOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');
    const { schemas } = document.components;
    const responseNames = new Set(
      paths
        .map(([, { get }]) => Object.values(get.responses['200']?.content ?? {})[0]?.schema.$ref)
        .map((r) => refName(r ?? '')),
    );
    const records = Object.entries(schemas).filter(([name]) => !responseNames.has(name));
    return html`<h1>Reference</h1>
      <p class="lead">${document.info.description}</p>
      <p>
        Version ${document.info.version}. Generated from <a href="/openapi.json">openapi.json</a>, which you can also
        use to generate clients.
      </p>
      <nav aria-label="Contents">
        <ul class="toc">
          ${paths.map(([path]) => html`<li><a href="#${idOf(path)}">${path}</a></li>`)}
          ${records.map(([name]) => html`<li><a href="#schema-${name}">${name} record</a></li>`)}
        </ul>
      </nav>
      <h2>Endpoints</h2>
      ${paths.map(([path, { get }]) => operation(path, get, idOf))}
      <h2>Records</h2>
      ${records.map(
        ([name, s]) =>
          html`<section id="schema-${name}">
            <h3>${name}</h3>
            ${s.description !== undefined && html`<p>${s.description}</p>`}${fields(name, s, 'Field')}
          </section>`,
      )}
      <h2>Responses</h2>
      ${[...responseNames]
        .filter((name) => schemas[name])
        .map(
          (name) =>
            html`<section id="schema-${name}">
              <h3>${name}</h3>
              ${fields(name, schemas[name] ?? {}, 'Field')}
            </section>`,
        )}`;
  },
};
