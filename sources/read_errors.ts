/** Errors that end the read of a source, each with a reason word that has a section in docs/runbook.md. */

/** Why a source's new rows are not trusted: thrown by parse, by fetch, or by the checks after them. */
export const QUARANTINE_REASONS = [
  'malformed_page',
  'empty_body',
  'truncated_download',
  'unknown_column',
  'missing_column',
  'template_changed',
  'count_mismatch',
  'too_few_rows',
  'too_many_rejects',
  'row_count_dropped',
  'body_too_large',
  'parser_error',
] as const;
export type QuarantineReason = (typeof QUARANTINE_REASONS)[number];

/** The page is not as the adapter expects: its new rows are set aside, the last good rows stay. */
export class Quarantine extends Error {
  override readonly name = 'Quarantine';
  readonly reason: QuarantineReason;
  readonly pageUrl: string | undefined;
  constructor(reason: QuarantineReason, detail: string, pageUrl?: string) {
    super(detail);
    this.reason = reason;
    this.pageUrl = pageUrl;
  }
}

export const UNAVAILABLE_REASONS = [
  'refused',
  'robots',
  'rate_limited',
  'challenge',
  'not_found',
  'server_error',
  'unreachable',
  'host_not_found',
  'no_network',
  'host_not_allowed',
] as const;

/** The site refuses or does not respond. A refusal is respected. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
  readonly reason: (typeof UNAVAILABLE_REASONS)[number];
  readonly status: number | undefined;
  readonly pageUrl: string;
  constructor(reason: SourceUnavailable['reason'], detail: string, pageUrl: string, status?: number) {
    super(detail);
    this.reason = reason;
    this.pageUrl = pageUrl;
    this.status = status;
  }
}
