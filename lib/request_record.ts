/** One request of a source and its response, as the archive records it. */
import { z } from 'zod';

const headers = z.record(z.string(), z.string());

/** One request and its response. */
export const RequestRecord = z.object({
  source: z.string(),
  runId: z.string(),
  /** GET, POST for a search form, or READ for a dropped file. */
  method: z.enum(['GET', 'POST', 'READ']),
  /** Public address, as requested. */
  url: z.string(),
  /** Address that responded, after redirects. */
  finalUrl: z.string().optional(),
  /** HTTP status; null without a response, or without HTTP. */
  status: z.int().nullable(),
  /** The page's kind; or "robots", "redirect" or "token". */
  kind: z.string(),
  context: z.record(z.string(), z.string()),
  /** Headers set by the adapter, and conditions. Secrets are redacted. */
  requestHeaders: headers,
  /** Response headers that describe the body. On 304: those of the confirmed response. */
  responseHeaders: headers,
  /** Hash of the body; null if the body is missing or incomplete. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** Length of the body in bytes, as received. */
  bytes: z.int().min(0),
  observedAt: z.string(),
  /** The body was not sent again: 304, a page of an interrupted run, or a page of this read with more context. */
  fromCache: z.boolean(),
  /** Why the response is not usable: the reason of a Quarantine or SourceUnavailable. Null if it is usable. */
  error: z.string().nullable(),
  /** Number of earlier attempts of the run to read the source, if any: another worker took it over. */
  attempt: z.int().min(1).optional(),
});
export type RequestRecord = z.infer<typeof RequestRecord>;
