/** Load by autocannon: each call is made once, by callers that wait for their answer before the next call. */
import autocannon from 'autocannon';

export interface Call {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a status of 4xx is expected. */
  readonly isRefused?: boolean;
}

/** Make these calls; a string is a path. @returns answers per second, and milliseconds @throws where one fails */
export async function load(url: string, asked: readonly (Call | string)[], connections: number) {
  const calls = asked.map((call) => (typeof call === 'string' ? { path: call } : call));
  let sent = 0;
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    const { path = '', headers }: Partial<Call> = calls[sent++] ?? {};
    return { ...request, path, headers: { ...request.headers, ...headers } };
  };
  // It looks every 20 ms whether all answers are there; its default is a second.
  const options = { url, connections, amount: calls.length, sampleInt: 20, timeout: 60 };
  const result = await autocannon({ ...options, requests: [{ setupRequest }] });
  const refused = calls.filter((call: Call) => call.isRefused).length;
  if (result['2xx'] !== calls.length - refused || result['4xx'] !== refused)
    throw new Error(`${url}: ${calls.length} calls, ${refused} to be refused: ${JSON.stringify(result)}`);
  return { rate: calls.length / result.duration, p50: result.latency.p50, p99: result.latency.p99 };
}
