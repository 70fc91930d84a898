/** Holds answers as they leave the socket against the interface description. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApi, templateOf, type JsonObject } from '../../../api/docs/openapi.ts';
import type { Route } from '../../../api/routes/define.ts';

interface Answer {
  readonly description?: string;
  readonly headers?: Record<string, { readonly required?: boolean }>;
  readonly content?: Record<string, { schema: JsonObject }>;
}
interface Described {
  readonly paths: Record<string, { get: { responses: Record<string, Answer> } }>;
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
  zstd: zstdDecompressSync,
};
/** Ways of not being described that are described for every path alike. */
const EVERYWHERE = new Set(['not_found', 'method_not_allowed']);

const NEEDS_RETRY_AFTER = new Set(['429', '503']);
/** A reason of the payment protocol. Anything else may be the text of a library. */
const CODE = /^[a-z0-9_]{1,80}$/;

const isListed = (answer: Answer | undefined, reason: string): boolean =>
  answer?.description === undefined || new RegExp(`\\b${reason}\\b`).test(answer.description);
const errorIn = (required: unknown): string | undefined =>
  typeof required === 'string'
    ? (JSON.parse(Buffer.from(required, 'base64').toString('utf8')) as { error?: string }).error
    : undefined;

export interface Checker {
  /** Look at the answer of this request once it is sent. */
  watch(request: IncomingMessage, response: ServerResponse): void;
  /** What was wrong, one line an answer. */
  readonly errors: string[];
  /** Answers that were held against the description. */
  readonly checked: { count: number };
}

/** A checker of the answers of an application with these routes. */
export function responseChecker(routes: readonly Route[], publicUrl: string): Checker {
  const document = openApi(routes, publicUrl);
  const { paths } = document as unknown as Described;
  const ajv = new Ajv2020({ strict: true, strictSchema: false, allowUnionTypes: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi');
  const compiled = new Map<string, ValidateFunction>();
  const validatorAt = (pointer: string): ValidateFunction => {
    const made = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi${pointer}` });
    compiled.set(pointer, made);
    return made;
  };
  const escaped = (s: string): string => encodeURIComponent(s.replaceAll('~', '~0').replaceAll('/', '~1'));
  const operationFor = (path: string): string | undefined =>
    routes.map(templateOf).find((t) => t === path || new RegExp(`^${t.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path));
  const wrong: string[] = [];
  const seen = { count: 0 };

  const check = (method: string, path: string, response: ServerResponse, text: string): void => {
    const template = operationFor(path);
    const type = String(response.getHeader('Content-Type') ?? '').split(';')[0] ?? '';
    const status = String(response.statusCode);
    const say = (what: string): void => {
      wrong.push(`${method} ${path} ${status}: ${what}`);
    };
    if (method === 'OPTIONS') return;
    seen.count += 1;
    let pointer = '#/components/schemas/problem';
    if (type === 'application/problem+json') {
      const reason = method === 'HEAD' ? '' : String((JSON.parse(text) as { reason: unknown }).reason);
      const { payment_error: error } = method === 'HEAD' ? {} : (JSON.parse(text) as { payment_error?: unknown });
      if (error !== undefined && !(typeof error === 'string' && CODE.test(error)))
        say(`payment_error is not a code: ${String(error)}`);
      const named = errorIn(response.getHeader('PAYMENT-REQUIRED'));
      if (named !== undefined && named !== 'Payment required' && !CODE.test(named))
        say(`the error in PAYMENT-REQUIRED is not a code: ${named}`);
      if (NEEDS_RETRY_AFTER.has(status) && response.getHeader('Retry-After') === undefined)
        say('header Retry-After is missing');
      if (
        template &&
        !EVERYWHERE.has(reason) &&
        method === 'GET' &&
        !isListed(paths[template]?.get.responses[status], reason)
      ) {
        say(`reason ${reason} is not described`);
        return;
      }
      if (
        template &&
        !EVERYWHERE.has(reason) &&
        method !== 'POST' &&
        method !== 'DELETE' &&
        !paths[template]?.get.responses[status]
      ) {
        say('status is not described');
        return;
      }
    } else {
      if (!template) return;
      const answer = paths[template]?.get.responses[status];
      if (!answer) {
        say('status is not described');
        return;
      }
      if (answer.content === undefined) {
        if (text !== '') say('a body is not described');
        return;
      }
      if (!answer.content[type]) {
        say(`media type ${type} is not described`);
        return;
      }
      for (const [name, header] of Object.entries(answer.headers ?? {}))
        if (header.required !== false && response.getHeader(name) === undefined) say(`header ${name} is missing`);
      pointer = `#/paths/${escaped(template)}/get/responses/${status}/content/${escaped(type)}/schema`;
    }
    if (method === 'HEAD') return;
    const validate = validatorAt(pointer);
    if (!validate(type.endsWith('json') ? JSON.parse(text) : text)) say(ajv.errorsText(validate.errors).slice(0, 300));
  };

  return {
    errors: wrong,
    checked: seen,
    watch(request, response) {
      const chunks: Buffer[] = [];
      const keep = (chunk: unknown): void => {
        if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
        else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
      };
      const { write, end } = response;
      response.write = ((...args: Parameters<typeof write>) => {
        keep(args[0]);
        return write.apply(response, args);
      }) as typeof write;
      response.end = ((...args: Parameters<typeof end>) => {
        keep(args[0]);
        return end.apply(response, args);
      }) as typeof end;
      response.on('finish', () => {
        const bytes = Buffer.concat(chunks);
        const decode = decoders[String(response.getHeader('Content-Encoding') ?? '')];
        try {
          check(
            request.method ?? '',
            (request.url ?? '').split('?')[0] ?? '',
            response,
            (decode && bytes.length > 0 ? decode(bytes) : bytes).toString('utf8'),
          );
        } catch (error) {
          wrong.push(`${request.method} ${request.url} ${response.statusCode}: ${String(error)}`);
        }
      });
    },
  };
}
