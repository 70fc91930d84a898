/** Servers in this process whose output is recorded: responses with headers, log lines, startup messages. */
import { redactorOf } from '../../../api/secrets.ts';
import { failureText, startServer, type Started } from '../../../api/start.ts';

export interface Recorded {
  /** Where the text appeared. */
  readonly source: string;
  readonly text: string;
}

export interface RecordedServer {
  /** Undefined if the server did not start. */
  readonly url: string;
  readonly metricsUrl: string;
  /** Log and startup message so far, or the error message. */
  readonly output: () => string;
  readonly isRunning: boolean;
  close(): Promise<void>;
}

/** A host that no service of a test listens on. */
const HOST = '127.0.0.4';
/** The chain of the tests mines at once. */
const SHORT_WAIT = { everyMs: 20, readsWithHint: 3, readsWithoutHint: 2 } as const;

export class Recorder {
  readonly texts: Recorded[] = [];

  /** Start a server with this environment. A server that does not start is recorded with its error message. */
  async start(name: string, env: Readonly<Record<string, string>>): Promise<RecordedServer> {
    const fullEnv = {
      PORT: '0',
      METRICS_PORT: '0',
      HOST,
      LOG_LEVEL: 'debug',
      UNBILLED_PER_MINUTE: '0',
      ...env,
    };
    const redact = redactorOf(fullEnv);
    let output = '';
    const destination = {
      write(line: string): void {
        output += line;
      },
      flush: (): void => undefined,
    };
    let started: Started | undefined;
    try {
      started = await startServer({ env: fullEnv, redact, destination, wait: SHORT_WAIT });
      output += started.greeting;
    } catch (error) {
      output += failureText(error, redact);
    }
    return {
      url: started?.serving.url ?? '',
      metricsUrl: `http://${HOST}:${started?.serving.metricsPort}/metrics`,
      output: () => output,
      isRunning: started !== undefined,
      close: async () => {
        await started?.serving.close();
        this.texts.push({ source: `the log (${name})`, text: output });
      },
    };
  }

  /** Send a GET, and record the response with its headers, those of x402 decoded. Null if there is no response. */
  async get(name: string, url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response | null> {
    const response = await fetch(url, { headers }).catch(() => null);
    if (!response) return null;
    const decoded = ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'].map((header) =>
      Buffer.from(response.headers.get(header) ?? '', 'base64').toString('utf8'),
    );
    const text = [JSON.stringify([...response.headers]), ...decoded, await response.clone().text()].join('\n');
    this.texts.push({ source: `${new URL(url).pathname} ${response.status} (${name})`, text });
    return response;
  }

  /** Where a secret appears in the recorded texts, with its surroundings. Forgets the texts. */
  leaks(secrets: readonly RegExp[]): string[] {
    return this.texts.splice(0).flatMap(({ source, text }) =>
      secrets.flatMap((secret) => {
        const at = text.search(secret);
        return at < 0 ? [] : [`${source} contains ${secret.source}: ${text.slice(Math.max(0, at - 150), at + 100)}`];
      }),
    );
  }
}
