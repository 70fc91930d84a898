/** Compares responses, as they leave the socket, with the OpenAPI description. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { CSV_HEADERS } from '../../../api/docs/headers.ts';
import { openApi, templateOf } from '../../../api/docs/openapi.ts';
import type { JsonObject } from '../../../api/docs/schemas.ts';
import type { Route } from '../../../api/routes/define.ts';

interface DescribedResponse {
  readonly description?: string;
  readonly headers?: Record<string, { readonly required?: boolean; readonly $ref?: string }>;
  readonly content?: Record<string, { schema: JsonObject }>;
}
interface OpenApiPaths {
  readonly paths: Record<string, { get: { responses: Record<string, DescribedResponse> } }>;
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
  zstd: zstdDecompressSync,
};
/** Reasons that every path may have and no operation lists. */
const EVERYWHERE = new Set(['not_found', 'method_not_allowed']);

const NEEDS_RETRY_AFTER = new Set(['429', '503']);
/** A code of the payment protocol. Anything else may be text of a library. */
const CODE = /^[a-z0-9_]{1,80}$/;

const isListed = (described: DescribedResponse | undefined, reason: string): boolean =>
  described?.description === undefined || new RegExp(`\\b${reason}\\b`).test(described.description);
const errorIn = (required: unknown): string | undefined =>
  typeof required === 'string'
    ? (JSON.parse(Buffer.from(required, 'base64').toString('utf8')) as { error?: string }).error
    : undefined;

export interface Checker {
  /** Check the response to this request once it is sent. */
  watch(request: IncomingMessage, response: ServerResponse): void;
  /** One line for each difference. */
  readonly errors: string[];
  /** Responses checked so far. */
  readonly checked: { count: number };
}

/** One response, as it was sent. */
interface SentResponse {
  readonly method: string;
  readonly template: string | undefined;
  readonly status: string;
  readonly type: string;
  readonly text: string;
  header(name: string): unknown;
}

/** Differences of a problem document, except those of its schema. */
function problemErrors(
  { method, template, status, text, header }: SentResponse,
  described?: DescribedResponse,
): string[] {
  const body = (method === 'HEAD' ? {} : JSON.parse(text)) as { reason?: string; payment_error?: string };
  const { reason = '', payment_error: refused = 'none' } = body;
  const named = errorIn(header('PAYMENT-REQUIRED')) ?? 'Payment required';
  const isKnown = template === undefined || EVERYWHERE.has(reason);
  const found: readonly (readonly [isWrong: boolean, what: string])[] = [
    [!CODE.test(refused), `payment_error is not a code: ${refused}`],
    [named !== 'Payment required' && !CODE.test(named), `the error in PAYMENT-REQUIRED is not a code: ${named}`],
    [NEEDS_RETRY_AFTER.has(status) && header('Retry-After') === undefined, 'header Retry-After is missing'],
    [!isKnown && method === 'GET' && !isListed(described, reason), `reason ${reason} is not described`],
    [!isKnown && ['GET', 'HEAD'].includes(method) && !described, 'status is not described'],
  ];
  return found.flatMap(([isWrong, what]) => (isWrong ? [what] : []));
}

/** Differences of any other response, except those of its schema. */
function successErrors({ type, text, header }: SentResponse, described?: DescribedResponse): string[] {
  if (!described) return ['status is not described'];
  if (described.content === undefined) return text === '' ? [] : ['a body is not described'];
  if (!described.content[type]) return [`media type ${type} is not described`];
  return Object.entries(described.headers ?? {}).flatMap(([name, { required, $ref = '' }]) => {
    const isOptional = required === false || Object.hasOwn(CSV_HEADERS, $ref.replace('#/components/headers/', ''));
    return !isOptional && header(name) === undefined ? [`header ${name} is missing`] : [];
  });
}

/** The JSON pointer of a place in the description. */
export const pointerOf = (...steps: string[]): string =>
  `#${steps.map((s) => `/${encodeURIComponent(s.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')}`;

export interface Description {
  readonly paths: OpenApiPaths['paths'];
  /** How a body differs from the schema at this JSON pointer; undefined if it does not. */
  errorOf(pointer: string, body: unknown): string | undefined;
}

/** By text: most servers of a process have the same routes, and compiling a schema takes up to 0.2 s. */
const descriptions = new Map<string, Description>();

/** The OpenAPI description of these routes. Its schemas are compiled once in a process. */
export function descriptionOf(routes: readonly Route[]): Description {
  // No schema contains the URL.
  const document = openApi(routes, 'http://dealfeed.test');
  const text = JSON.stringify(document);
  const known = descriptions.get(text);
  if (known) return known;
  const { paths } = document as unknown as OpenApiPaths;
  // openapi.test.ts validates the description itself. Optimized code, and the code of each reference repeated in place,
  // take longer than they save.
  const options = { strict: true, strictSchema: false, allowUnionTypes: true, meta: false, validateSchema: false };
  const ajv = new Ajv2020({ ...options, code: { optimize: false }, inlineRefs: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi');
  const validators = new Map<string, ValidateFunction>();
  const description: Description = {
    paths,
    errorOf(pointer, body) {
      const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi${pointer}` });
      validators.set(pointer, validate);
      return validate(body) ? undefined : ajv.errorsText(validate.errors).slice(0, 300);
    },
  };
  descriptions.set(text, description);
  return description;
}

/** A checker for an application with these routes. */
export function responseChecker(routes: readonly Route[]): Checker {
  const { paths, errorOf } = descriptionOf(routes);
  const templateFor = (path: string): string | undefined =>
    routes.map(templateOf).find((t) => t === path || new RegExp(`^${t.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path));
  const errors: string[] = [];
  const checked = { count: 0 };

  const check = (sent: SentResponse): string[] => {
    const { method, template, status, type, text } = sent;
    const described = template === undefined ? undefined : paths[template]?.get.responses[status];
    const isProblem = type === 'application/problem+json';
    if (!isProblem && template === undefined) return [];
    const found = isProblem ? problemErrors(sent, described) : successErrors(sent, described);
    if (method === 'HEAD' || (!isProblem && described?.content?.[type] === undefined)) return found;
    const error = errorOf(
      isProblem
        ? '#/components/schemas/problem'
        : pointerOf('paths', template ?? '', 'get', 'responses', status, 'content', type, 'schema'),
      type.endsWith('json') ? JSON.parse(text) : text,
    );
    return error === undefined ? found : [...found, error];
  };

  return {
    errors,
    checked,
    watch(request, response) {
      const chunks: Buffer[] = [];
      for (const name of ['write', 'end'] as const) {
        const send = response[name].bind(response) as (...args: unknown[]) => unknown;
        response[name] = ((...args: unknown[]) => {
          const [chunk] = args;
          if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string));
          return send(...args);
        }) as never;
      }
      response.on('finish', () => {
        const { method = '' } = request;
        if (method === 'OPTIONS') return;
        checked.count += 1;
        const [path = ''] = (request.url ?? '').split('?');
        const bytes = Buffer.concat(chunks);
        const header = (name: string): unknown => response.getHeader(name);
        const decode = decoders[String(header('Content-Encoding') ?? '')];
        const name = `${method} ${path} ${response.statusCode}`;
        try {
          const found = check({
            method,
            template: templateFor(path),
            status: String(response.statusCode),
            type: String(header('Content-Type') ?? '').split(';')[0] ?? '',
            text: (decode && bytes.length > 0 ? decode(bytes) : bytes).toString('utf8'),
            header,
          });
          errors.push(...found.map((error) => `${name}: ${error}`));
        } catch (error) {
          errors.push(`${name}: ${String(error)}`);
        }
      });
    },
  };
}
