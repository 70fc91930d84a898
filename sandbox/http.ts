/** Requests and responses of the sandbox's sites. */
import { createHash } from 'node:crypto';
import type { WorldDay } from './world/world.ts';

export interface SandboxRequest {
  readonly method: string;
  /** The real host, such as data.colorado.gov. */
  readonly host: string;
  /** The host as requested, for absolute links. */
  readonly publicHost: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: Readonly<Record<string, string>>;
  /** Fields of a form sent by POST. */
  readonly form?: URLSearchParams;
  /** Body of a POST request as sent. */
  readonly posted?: string;
  /** The client's first request to this host, not counting robots.txt. */
  readonly firstVisit: boolean;
}

export interface SandboxResponse {
  readonly status: number;
  /** Names in lower case. A header may be repeated. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array;
}

/** One site: its response on a day, or null if it does not have the page. */
export type SitePages = (day: WorldDay, request: SandboxRequest) => SandboxResponse | null;

const bytes = (body: string | Uint8Array): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body;

export function respond(
  body: string | Uint8Array,
  contentType: string,
  headers: SandboxResponse['headers'] = {},
  status = 200,
): SandboxResponse {
  return { status, headers: { 'content-type': contentType, ...headers }, body: bytes(body) };
}

export const page = (html: string, headers: SandboxResponse['headers'] = {}, status = 200): SandboxResponse =>
  respond(html, 'text/html; charset=utf-8', headers, status);

export const json = (value: unknown, headers: SandboxResponse['headers'] = {}, status = 200): SandboxResponse =>
  respond(JSON.stringify(value), 'application/json; charset=utf-8', headers, status);

export const redirect = (location: string, status: 301 | 302 = 302): SandboxResponse => ({
  status,
  headers: { location, 'content-type': 'text/plain' },
  body: new Uint8Array(),
});

/** An HTTP date, such as "Fri, 20 Nov 2026 06:00:00 GMT". */
export const httpDate = (day: string, time = '06:00:00'): string => new Date(`${day}T${time}Z`).toUTCString();

/** Add ETag and Last-Modified, as sites that support conditional requests do. */
export function withValidators(response: SandboxResponse, modified: string): SandboxResponse {
  const etag = `"${createHash('sha256').update(response.body).digest('hex').slice(0, 24)}"`;
  return { ...response, headers: { ...response.headers, etag, 'last-modified': modified } };
}

/** A 304 without a body if the client's copy is current. If-None-Match takes precedence over a date. */
export function conditional(request: SandboxRequest, response: SandboxResponse): SandboxResponse {
  if (response.status !== 200 || (request.method !== 'GET' && request.method !== 'HEAD')) return response;
  const { etag, 'last-modified': modified } = response.headers;
  const known = request.headers['if-none-match'];
  const since = request.headers['if-modified-since'];
  const fresh =
    known !== undefined && etag !== undefined
      ? known === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//u, '') === etag)
      : known === undefined &&
        since !== undefined &&
        typeof modified === 'string' &&
        Date.parse(modified) <= Date.parse(since);
  if (!fresh) return response;
  const headers304 = ['etag', 'last-modified', 'cache-control', 'vary', 'set-cookie'];
  return {
    status: 304,
    headers: Object.fromEntries(Object.entries(response.headers).filter(([name]) => headers304.includes(name))),
    body: new Uint8Array(),
  };
}
