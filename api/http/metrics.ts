/** Metrics for Prometheus, on a separate port that buyers cannot reach. */
import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Health } from './health.ts';
import type { RequestLog } from './log.ts';
import { WARNING_CODES } from '../payments/health.ts';

export interface Metrics {
  observe(entry: RequestLog): void;
  /** In Prometheus format. */
  text(): Promise<string>;
  readonly type: string;
}

/** Metrics of one server. `health` is called on every scrape. */
export function createMetrics(health: () => Promise<Health>): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Counter({
    name: 'dealfeed_requests_total',
    help: 'Requests handled.',
    labelNames: ['route', 'status', 'reason'],
    registers,
  });
  const seconds = new Histogram({
    name: 'dealfeed_request_seconds',
    help: 'Response time, including settlement.',
    labelNames: ['route'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers,
  });
  const sold = new Counter({
    name: 'dealfeed_sold_dollars_total',
    help: 'Dollars settled.',
    labelNames: ['route'],
    registers,
  });
  const unresolved = new Counter({
    name: 'dealfeed_unresolved_settlements_total',
    help: 'Settlements of unknown outcome.',
    registers,
  });
  const healthy = new Gauge({
    name: 'dealfeed_health',
    help: '1 for the current state of the server.',
    labelNames: ['status'],
    registers,
  });
  const stale = new Gauge({
    name: 'dealfeed_stale_sources',
    help: 'Sources whose rows are older than their read interval.',
    registers,
  });
  const degraded = new Gauge({
    name: 'dealfeed_degraded_sources',
    help: 'Sources whose rows join fewer others than expected.',
    registers,
  });
  const ready = new Gauge({ name: 'dealfeed_payments_ready', help: '1 if the server accepts payments.', registers });
  const failing = new Gauge({
    name: 'dealfeed_snapshot_failing',
    help: '1 while the current snapshot cannot be loaded and the previous one serves.',
    registers,
  });
  const open = new Gauge({
    name: 'dealfeed_open_settlements',
    help: 'Purchases whose outcome is unknown.',
    registers,
  });
  const warnings = new Gauge({
    name: 'dealfeed_payment_warnings',
    help: 'Payment warnings for an operator, by code: docs/runbook.md has a section on each.',
    labelNames: ['code'],
    registers,
  });
  return {
    type: registry.contentType,
    observe(entry) {
      const route = entry.route ?? 'other';
      requests.inc({ route, status: entry.status, reason: entry.reason ?? '' });
      seconds.observe({ route }, entry.ms / 1000);
      if (entry.charged !== undefined) sold.inc({ route }, Number(entry.charged));
      if (entry.unresolved) unresolved.inc();
    },
    async text() {
      const now = await health();
      for (const status of ['ok', 'degraded', 'unavailable'] as const)
        healthy.set({ status }, now.status === status ? 1 : 0);
      stale.set(now.stale_sources.length);
      degraded.set(now.degraded_sources.length);
      ready.set(now.payments.ready ? 1 : 0);
      open.set(now.payments.unresolved);
      for (const code of WARNING_CODES)
        warnings.set({ code }, now.payments.warnings.filter((warning) => warning.code === code).length);
      failing.set(now.snapshot_failure ? 1 : 0);
      return registry.metrics();
    },
  };
}

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
