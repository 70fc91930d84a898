/** Load by autocannon: each call is made once, by callers that wait for their answer before the next call. */
import autocannon from 'autocannon';

export interface Call {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Make these calls. @returns answers per second, and milliseconds @throws where one fails */
export async function load(url: string, calls: readonly Call[], connections: number) {
  let sent = 0;
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    const { path = '', headers }: Partial<Call> = calls[sent++] ?? {};
    return { ...request, path, headers: { ...request.headers, ...headers } };
  };
  // It looks every 20 ms whether all answers are there; its default is a second.
  const options = { url, connections, amount: calls.length, sampleInt: 20, timeout: 60 };
  const result = await autocannon({ ...options, requests: [{ setupRequest }] });
  if (result['2xx'] !== calls.length) throw new Error(`${url}: ${calls.length} calls: ${JSON.stringify(result)}`);
  return { rate: calls.length / result.duration, p50: result.latency.p50 };
}
