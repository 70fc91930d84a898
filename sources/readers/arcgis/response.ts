/** Responses of an ArcGIS server: errors with HTTP 200, names of fields, and features. */
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { type Page, Quarantine, SourceUnavailable } from '../../contract.ts';
import { parseJson } from '../../json.ts';
import type { Attributes, LayerFields } from './layer.ts';

/**
 * Reason of an error that ArcGIS sends with HTTP 200. Codes are as in HTTP; 498 and 499 mean a wrong or missing token.
 */
function unavailableReason(code: number): SourceUnavailable['reason'] | null {
  if ([401, 403, 498, 499].includes(code)) return 'refused';
  if (code === 404) return 'not_found';
  if (code === 429) return 'rate_limited';
  return code >= 500 ? 'server_error' : null;
}

/**
 * A page's JSON object.
 * @throws Quarantine if it is not one, or is an error that means that the request no longer fits the layer
 * @throws SourceUnavailable if it is an error that means that the server refuses or fails
 */
export function parseResponse(page: Page): JsonObject {
  const text = page.text();
  if (!text.trim()) throw new Quarantine('empty_body', 'the response is empty', page.url);
  const json = parseJson(text, 'the response', page.url);
  if (!isObject(json)) throw new Quarantine('malformed_page', 'the response is not a JSON object', page.url);
  if (!isObject(json.error)) return json;
  const { code, message, details } = json.error;
  const more = Array.isArray(details) && details.length ? ` (${details.join('; ')})` : '';
  const detail = `the layer responds with error ${String(code)}: ${String(message)}${more}`;
  const reason = unavailableReason(Number(code));
  throw reason === null
    ? new Quarantine('template_changed', detail, page.url)
    : new SourceUnavailable(reason, detail, page.url, Number(code));
}

/** Fields of a description or of a page of features. */
export const fieldsIn = (json: JsonObject): readonly JsonObject[] =>
  Array.isArray(json.fields) ? json.fields.filter(isObject) : [];

/**
 * Name of the object id: "OBJECTID" in a layer with shapes, "ObjectId" in a hosted table, with the table's name in a
 * joined layer.
 */
export function objectIdName(description: JsonObject): string {
  const name = fieldsIn(description).find(({ type }) => type === 'esriFieldTypeOID')?.name ?? description.objectIdField;
  return typeof name === 'string' && name !== '' ? name : 'OBJECTID';
}

/**
 * The layer's own name of each field it has. A joined layer prints the table before it, "CAGIS.AUDREAL_VW.CLASS".
 * @throws Quarantine missing_column unless all needed fields are among them, template_changed if two have one name or
 *   one has none
 */
export function fieldNames(json: JsonObject, layer: LayerFields, page: Page): ReadonlyMap<string, string> {
  const present = fieldsIn(json).map(({ name }) => {
    if (typeof name === 'string') return name;
    throw new Quarantine('template_changed', 'a field of the layer has no name', page.url);
  });
  const names = new Map<string, string>();
  const groups = layer.oneOf ?? [];
  for (const name of [...groups.flat(), ...layer.needed, ...(layer.optional ?? [])]) {
    const found = present.includes(name) ? [name] : present.filter((other) => other.endsWith(`.${name}`));
    if (found.length > 1)
      throw new Quarantine('template_changed', `the layer has two fields ${name}: ${found.join(' and ')}`, page.url);
    if (found[0] !== undefined) names.set(name, found[0]);
  }
  const missing = [
    ...layer.needed.filter((name) => !names.has(name)),
    ...groups.filter((group) => !group.some((name) => names.has(name))).map((group) => group.join(' or ')),
  ];
  if (missing.length)
    throw new Quarantine(
      'missing_column',
      `the layer has no field ${missing.join(', ')}; it has ${present.join(', ') || 'none'}`,
      page.url,
    );
  return names;
}

export interface Features {
  /** Attributes under the layer's own names. */
  readonly attributes: readonly Attributes[];
  readonly names: ReadonlyMap<string, string>;
  /** Whether the server says that it has more features than the page. */
  readonly more: boolean;
}

/** Features of a page. @throws Quarantine if a feature lacks a listed field, or has one that is not listed */
export function readFeatures(page: Page, layer: LayerFields): Features {
  const json = parseResponse(page);
  const names = fieldNames(json, layer, page);
  if (!Array.isArray(json.features))
    throw new Quarantine('template_changed', 'the response has no features array', page.url);
  const attributes = json.features.map((feature: unknown) =>
    isObject(feature) && isObject(feature.attributes) ? feature.attributes : null,
  );
  if (attributes.includes(null)) throw new Quarantine('template_changed', 'a feature has no attributes', page.url);
  // The server sends every field of every feature, a blank one as null.
  const missing = [...names.values()].find((name) =>
    attributes.some((attribute) => attribute !== null && !(name in attribute)),
  );
  if (missing !== undefined)
    throw new Quarantine(
      'template_changed',
      `a feature has no attribute ${missing}, which the response lists in its fields`,
      page.url,
    );
  const sent = Object.keys(attributes[0] ?? {});
  const wanted = [...(layer.oneOf ?? []).flat(), ...layer.needed, ...(layer.optional ?? [])];
  const unlisted = wanted.find(
    (name) => !names.has(name) && sent.some((own) => own === name || own.endsWith(`.${name}`)),
  );
  if (unlisted !== undefined)
    throw new Quarantine(
      'template_changed',
      `a feature has the attribute ${unlisted}, which the response does not list in its fields`,
      page.url,
    );
  return {
    attributes: attributes.filter((attribute) => attribute !== null),
    names,
    more: json.exceededTransferLimit === true,
  };
}
