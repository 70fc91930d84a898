/** Compares responses, as they leave the socket, with the OpenAPI description. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { CSV_HEADERS, openApi } from '../../../api/docs/openapi.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { templateOf, type Route } from '../../../api/routes/define.ts';

interface DescribedResponse {
  readonly description?: string;
  readonly headers?: Record<string, { readonly required?: boolean; readonly $ref?: string }>;
  readonly content?: Record<string, { schema: JsonObject }>;
}
type Paths = Record<string, { get: { responses: Record<string, DescribedResponse> } }>;

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
  zstd: zstdDecompressSync,
};
/** Reasons that every path may have and no operation lists. */
const EVERYWHERE = new Set(['not_found', 'method_not_allowed']);
/** A code of the payment protocol. Anything else may be text of a library. */
const CODE = /^[a-z0-9_]{1,80}$/;

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
function problemErrors({ method, template, status, text, header }: SentResponse, described?: DescribedResponse) {
  const body = (method === 'HEAD' ? {} : JSON.parse(text)) as { reason?: string; payment_error?: string };
  const { reason = '', payment_error: refused = 'none' } = body;
  const required = Buffer.from(String(header('PAYMENT-REQUIRED') ?? ''), 'base64').toString('utf8');
  const { error: named = 'Payment required' } = JSON.parse(required || '{}') as { error?: string };
  const isKnown = template === undefined || EVERYWHERE.has(reason);
  const isListed = new RegExp(`\\b${reason}\\b`).test(described?.description ?? reason);
  const found: readonly (readonly [isWrong: boolean, what: string])[] = [
    [!CODE.test(refused), `payment_error is not a code: ${refused}`],
    [named !== 'Payment required' && !CODE.test(named), `the error in PAYMENT-REQUIRED is not a code: ${named}`],
    [['429', '503'].includes(status) && header('Retry-After') === undefined, 'header Retry-After is missing'],
    [!isKnown && method === 'GET' && !isListed, `reason ${reason} is not described`],
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

/** The description of these routes, and how a body differs from its schema at a JSON pointer. */
function describe(text: string) {
  const document = JSON.parse(text) as { readonly paths: Paths };
  // openapi.test.ts validates the description itself. Optimized code, and the code of each reference repeated in place,
  // take longer than they save.
  const options = { strict: true, strictSchema: false, allowUnionTypes: true, meta: false, validateSchema: false };
  const ajv = new Ajv2020({ ...options, code: { optimize: false }, inlineRefs: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi');
  const errorsOf = (pointer: string, body: unknown): string[] => {
    const validate = ajv.getSchema(`openapi${pointer}`);
    if (!validate) return [`${pointer} is not described`];
    return validate(body) ? [] : [ajv.errorsText(validate.errors).slice(0, 300)];
  };
  return { paths: document.paths, errorsOf };
}

/** By text: most servers of a process have the same routes, and compiling a schema takes up to 0.2 s. */
const descriptions = new Map<string, ReturnType<typeof describe>>();

/** A checker for an application with these routes. */
export function responseChecker(routes: readonly Route[]): Checker {
  // No schema contains the URL.
  const described = JSON.stringify(openApi(routes, 'http://dealfeed.test'));
  const { paths, errorsOf } = descriptions.get(described) ?? describe(described);
  descriptions.set(described, { paths, errorsOf });
  const templateFor = (path: string): string | undefined =>
    routes.map(templateOf).find((t) => t === path || new RegExp(`^${t.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path));
  const errors: string[] = [];
  const checked = { count: 0 };

  const check = (sent: SentResponse): string[] => {
    const { method, template = '', status, type, text } = sent;
    const response = paths[template]?.get.responses[status];
    const isProblem = type === 'application/problem+json';
    if (!isProblem && template === '') return [];
    const found = isProblem ? problemErrors(sent, response) : successErrors(sent, response);
    if (method === 'HEAD' || (!isProblem && response?.content?.[type] === undefined)) return found;
    const steps = ['paths', template, 'get', 'responses', status, 'content', type, 'schema'];
    const pointer = isProblem
      ? '#/components/schemas/problem'
      : `#${steps.map((step) => `/${encodeURIComponent(step.replaceAll('/', '~1'))}`).join('')}`;
    return [...found, ...errorsOf(pointer, type.endsWith('json') ? JSON.parse(text) : text)];
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
        const { method = '', url = '' } = request;
        if (method === 'OPTIONS') return;
        checked.count += 1;
        const [path = ''] = url.split('?');
        const bytes = Buffer.concat(chunks);
        const header = (name: string): unknown => response.getHeader(name);
        const decode = decoders[String(header('Content-Encoding') ?? '')];
        const status = String(response.statusCode);
        const type = String(header('Content-Type') ?? '').split(';')[0] ?? '';
        try {
          const text = (decode && bytes.length > 0 ? decode(bytes) : bytes).toString('utf8');
          const found = check({ method, template: templateFor(path), status, type, text, header });
          errors.push(...found.map((error) => `${method} ${path} ${status}: ${error}`));
        } catch (error) {
          errors.push(`${method} ${path} ${status}: ${String(error)}`);
        }
      });
    },
  };
}
