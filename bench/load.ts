/** Requests from many connections at once, none of them twice, and how they were answered. */
import autocannon from 'autocannon';

export interface Asked {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Load {
  /** Answers a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/**
 * Ask for so many seconds, one request after the other on each connection.
 * @param next makes the next request
 * @throws where an answer was not 2xx or a connection failed: a server that refuses is fast
 */
export async function drive(
  url: string,
  next: () => Asked,
  { seconds, connections = 16 }: { readonly seconds: number; readonly connections?: number },
): Promise<Load> {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: [
      {
        setupRequest: (request) => {
          const { path, headers } = next();
          return { ...request, path, headers: { ...request.headers, ...headers } };
        },
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} answers were not 2xx, ${result.errors} requests failed`);
  return { rate: result['2xx'] / result.duration, p50: result.latency.p50, p99: result.latency.p99 };
}
