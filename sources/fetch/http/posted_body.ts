/** The body of a POST request: a form, or JSON. */
import type { GetOptions } from '../../contract.ts';

export interface PostedBody {
  readonly contentType: string;
  readonly text: string;
}

/** The body that a request sends; undefined for a GET request. */
export function postedBody({ form, json }: Pick<GetOptions, 'form' | 'json'>): PostedBody | undefined {
  if (form) return { contentType: 'application/x-www-form-urlencoded', text: new URLSearchParams(form).toString() };
  return json && { contentType: 'application/json', text: JSON.stringify(json) };
}
