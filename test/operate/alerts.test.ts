/** Alerts: a command of the operator's is told of each trouble once, and can do a run no harm. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { startSandbox } from '../../sandbox/server.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { layoutOf, type Layout } from '../../pipelines/layout.ts';
import { alertChanges, type Alert } from '../../pipelines/operate/alerts.ts';
import { readSent } from '../../pipelines/operate/notes.ts';
import { checkHealth } from '../../pipelines/operate/health.ts';
import { problem, type Problem } from '../../pipelines/operate/problems.ts';
import { BARE } from '../environment.ts';
import { cli, startProgram } from '../support/program.ts';
import { startTestServer } from '../support/server.ts';
import { memoryFolder } from '../ledger/memory_folder.ts';

const quarantined = problem(
  'source_quarantined',
  'oh_stark_tax',
  'missing_column: the file has no column OWNER',
  'missing_column',
);
const stale = problem('source_stale', 'hud_fmr', 'hud_fmr was last read well 9 days ago, expected every 7');

interface Heard {
  readonly event: Alert['event'];
  readonly data_dir: string;
  readonly trouble: Alert['troubles'][number];
}

/** What a command that writes its input into a file was told, trouble by trouble. */
function listener(): { layout: Layout; file: string; heard: () => Promise<Heard[]> } {
  const root = memoryFolder('dealfeed-alerts-');
  const file = join(root, 'heard.ndjson');
  const heard = async (): Promise<Heard[]> =>
    (await readFile(file, 'utf8').catch(() => ''))
      .split('\n')
      .filter(Boolean)
      .map((l) => JSON.parse(l) as Alert)
      .flatMap(({ event, data_dir, troubles }) => troubles.map((t) => ({ event, data_dir, trouble: t })));
  return { layout: layoutOf(root), file, heard };
}
const tell = (troubles: readonly Problem[], layout: Layout, command: string, timeoutMs = 5_000): Promise<string[]> =>
  alertChanges(troubles, { layout, command, timeoutMs });

test('a problem is sent when it is new, not again while it lasts, and once when it is over', async () => {
  const { layout, file, heard } = listener();
  const command = `cat >> ${file}`;
  await tell([quarantined], layout, command);
  await tell([quarantined], layout, command);
  await tell([quarantined, stale], layout, command);
  await tell([stale], layout, command);
  await tell([quarantined, stale], layout, command);
  assert.deepEqual(
    (await heard()).map((a) => [a.event, a.trouble.subject]),
    [
      ['new', 'oh_stark_tax'],
      ['new', 'hud_fmr'],
      ['over', 'oh_stark_tax'],
      ['new', 'oh_stark_tax'],
    ],
  );
  const [first] = await heard();
  const { since, ...told } = first?.trouble ?? assert.fail('nothing was told');
  assert.deepEqual(told, { ...quarantined });
  assert.ok(!Number.isNaN(Date.parse(since)));
  assert.equal(first?.trouble['runbook'], 'docs/runbook.md#missing_column');
  assert.equal(first?.data_dir, layout.root);
});

test('a failed command is reported with its last line, and its alert is sent again next time', async () => {
  const { layout, file, heard } = listener();
  const [line] = await tell([stale], layout, 'echo no route to mail >&2; exit 3');
  assert.match(
    line ?? '',
    /^alert not sent \(new\): .*: it ended with exit status 3: no route to mail; the next run sends it again$/,
  );
  assert.match((await tell([stale], layout, '/no/such/command'))[0] ?? '', /exit status 127/);
  await tell([stale], layout, `cat >> ${file}`);
  assert.deepEqual(
    (await heard()).map((a) => a.event),
    ['new'],
  );
});

test('a command that hangs is killed with everything it started', async () => {
  const { layout, file } = listener();
  const [line] = await tell([stale], layout, `(sleep 1.2; echo alive > ${file}) & wait`, 300);
  assert.match(line ?? '', /did not end within 0\.3 s/);
  await new Promise((resolve) => {
    setTimeout(resolve, 1_300);
  });
  assert.equal(await readFile(file, 'utf8').catch(() => 'nothing'), 'nothing', 'what it started is gone too');
});

test('a run sends alerts at its end; a failing command changes neither its exit status nor its snapshot', async (t) => {
  const sandbox = await startSandbox({
    world: makeWorld({ seed: 7, listings: 8, parcels: 40, auctions: 0, filings: 0 }),
    day: '2026-11-20',
    alter: (q, r) =>
      q.host.includes('heartland') ? { ...r, body: new TextEncoder().encode('<html>We have moved</html>') } : undefined,
  });
  t.after(() => sandbox.close());
  const { layout, file, heard } = listener();
  const { status, out } = await cli('run', {
    DATA_DIR: layout.root,
    SANDBOX_URL: sandbox.url,
    SOURCES: 'heartland_multifamily,hud_fmr',
    ALERT_COMMAND: `cat >> ${file}; exit 3`,
  });
  assert.equal(status, 0, out);
  assert.match(
    out,
    /Published [\s\S]*not sent \(new\): source_quarantined heartland_multifamily \w+: .* it ended with exit status 3/,
  );
  const told = (await heard()).find((a) => a.trouble.kind === 'source_quarantined');
  assert.deepEqual([told?.event, told?.trouble.subject], ['new', 'heartland_multifamily']);
});

describe('the alert command of deploy/', () => {
  /** What an address was sent, and when. */
  async function inbox(t: TestContext, status = 200): Promise<{ url: string; received: string[] }> {
    const received: string[] = [];
    const server = await startTestServer((request, response) => {
      void text(request).then((body) => {
        received.push(body);
        return response.writeHead(status).end();
      });
    });
    t.after(() => server.close());
    return { url: `${server.url}/hook`, received };
  }
  const command = (address: string): string => `${process.execPath} deploy/alert.ts ${address}`;

  test('reports a quarantined source, a lost run and money in doubt to a chat room within ten seconds', async (t) => {
    const { layout } = listener();
    const { url, received } = await inbox(t);
    const faults = [
      quarantined,
      problem('run_died', '2026-11-20.01', 'run 2026-11-20.01 ended without a report'),
      problem('settlement_unknown', 'p1', 'purchase p1 was sent for settlement and its outcome is unknown'),
    ];
    assert.match((await tell(faults, layout, command(url), 10_000))[0] ?? '', /^alert sent \(new\)/u);
    const [body = ''] = received;
    const { text: said, content, event } = JSON.parse(body) as Record<string, string>;
    assert.deepEqual([received.length, event, content], [1, 'new', said]);
    for (const { message } of faults) assert.ok(said?.includes(message), message);
    assert.deepEqual((await readSent(layout)).last?.failure, null);
  });

  test('reports why an alert was not sent, and `make status` lists that as a problem', async (t) => {
    const { layout } = listener();
    const { url } = await inbox(t, 500);
    assert.match((await tell([stale], layout, command(url), 10_000))[0] ?? '', /127\.0\.0\.1:\d+ answered 500/u);
    const { troubles, alert } = await checkHealth(layout, []);
    assert.ok(troubles.some(({ kind }) => kind === 'alert_not_told'));
    assert.match(alert?.failure ?? '', /answered 500/u);
    assert.match((await tell([stale], layout, command('')))[0] ?? '', /no address is given/u);
  });
});

test('the scheduler does not start if no alert could be sent', async () => {
  for (const ALERT_COMMAND of ['', 'node deploy/alert.ts mailto:you@example.org']) {
    const env = { ...BARE, DATA_DIR: tmpdir(), ALERT_COMMAND };
    const scheduler = startProgram(['pipelines/operate/scheduler.ts'], env);
    assert.equal((await scheduler.ended).status, 1);
    assert.match(scheduler.lines[0] ?? '', /^ALERT_COMMAND is (?:not set|an example): problems would reach nobody\./u);
  }
});
