/** Metrics for Prometheus, on a separate port that buyers cannot reach. */
import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Health } from './health.ts';
import type { RequestLog } from './log.ts';
import { WARNING_CODES } from '../payments/health.ts';

/** Figures of /health: name, help and value. */
const GAUGES: readonly (readonly [name: string, help: string, valueOf: (now: Health) => number | boolean])[] = [
  ['stale_sources', 'Sources whose rows are older than their read interval.', (now) => now.stale_sources.length],
  ['degraded_sources', 'Sources whose rows join fewer others than expected.', (now) => now.degraded_sources.length],
  ['payments_ready', '1 if the server accepts payments.', (now) => now.payments.ready],
  ['snapshot_failing', '1 while the current snapshot cannot be loaded.', (now) => now.snapshot_failure !== null],
  ['open_settlements', 'Purchases whose outcome is unknown.', (now) => now.payments.unresolved],
];

/** Metrics of one server. `health` is called on every scrape. */
export function createMetrics(health: () => Promise<Health>) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const facts = (name: string, help: string, ...labelNames: string[]) => ({
    name: `dealfeed_${name}`,
    help,
    labelNames,
    registers: [registry],
  });
  const requests = new Counter(facts('requests_total', 'Requests handled.', 'route', 'status', 'reason'));
  const seconds = new Histogram({
    ...facts('request_seconds', 'Response time, including settlement.', 'route'),
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
  });
  const sold = new Counter(facts('sold_dollars_total', 'Dollars settled.', 'route'));
  const unresolved = new Counter(facts('unresolved_settlements_total', 'Settlements of unknown outcome.'));
  const healthy = new Gauge(facts('health', '1 for the current state of the server.', 'status'));
  const warnings = new Gauge(facts('payment_warnings', 'Payment warnings by code, as in docs/runbook.md.', 'code'));
  const gauges = GAUGES.map(([name, help, valueOf]) => [new Gauge(facts(name, help)), valueOf] as const);
  return {
    type: registry.contentType,
    observe(entry: RequestLog): void {
      const route = entry.route ?? 'other';
      requests.inc({ route, status: entry.status, reason: entry.reason ?? '' });
      seconds.observe({ route }, entry.ms / 1000);
      if (entry.charged !== undefined) sold.inc({ route }, Number(entry.charged));
      if (entry.unresolved) unresolved.inc();
    },
    /** In Prometheus format. */
    async text(): Promise<string> {
      const now = await health();
      for (const status of ['ok', 'degraded', 'unavailable'] as const)
        healthy.set({ status }, now.status === status ? 1 : 0);
      for (const [gauge, valueOf] of gauges) gauge.set(Number(valueOf(now)));
      for (const code of WARNING_CODES)
        warnings.set({ code }, now.payments.warnings.filter((warning) => warning.code === code).length);
      return registry.metrics();
    },
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

/** A server, not listening yet, that serves GET /metrics and nothing else. */
export const metricsServer = (metrics: Metrics): Server =>
  createServer(async (request, response) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await metrics.text();
      response.writeHead(200, { 'Content-Type': metrics.type }).end(text);
    } catch {
      response.writeHead(500).end();
    }
  });
