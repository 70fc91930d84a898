/** Health check of a container: asks the server on PORT for GET /health, and fails if it is unavailable. */
const TIMEOUT_MS = 8_000;

const url = `http://127.0.0.1:${process.env['PORT'] || '4021'}/health`;
try {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const { status } = (await response.json()) as { status: string };
  process.stdout.write(`${status}\n`);
  if (!response.ok) process.exitCode = 1;
} catch (error) {
  process.stdout.write(`${url}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
