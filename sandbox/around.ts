/**
 * Start the sandbox, run a command that reads it, stop the sandbox, and exit with the command's status:
 *   node sandbox/around.ts node pipelines/commands/cli.ts run
 * The command gets the sandbox's address in SANDBOX_URL and its brokers in EXTRA_SOURCES. With LIVE=1 it runs without
 * a sandbox.
 */
import { spawn } from 'node:child_process';
import { runCommand } from '../lib/command.ts';
import { pipelineSettings, readSettings, SettingError } from '../lib/settings.ts';
import { startSandbox, worldOptions } from './server.ts';
import { SANDBOX_SETTINGS } from './settings.ts';

const [command, ...args] = process.argv.slice(2);
await runCommand(async () => {
  if (command === undefined) throw new SettingError('no command given, expected one to run with the sandbox');
  const settings = readSettings(pipelineSettings);
  if (!settings.LIVE && settings.SANDBOX_URL !== undefined)
    process.stderr.write('No effect: SANDBOX_URL. This command starts its own sandbox\n');
  if (!settings.LIVE) process.stderr.write('Starting the sandbox, a local server with made-up data\n');
  const sandbox = settings.LIVE ? null : await startSandbox(worldOptions(settings));
  const child = spawn(command, args, {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(sandbox
        ? {
            ...SANDBOX_SETTINGS,
            EXTRA_SOURCES: process.env['EXTRA_SOURCES'] || SANDBOX_SETTINGS.EXTRA_SOURCES,
            SANDBOX_URL: sandbox.url,
          }
        : {}),
    },
  });
  const stop = (signal: NodeJS.Signals): void => {
    child.kill(signal);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.on('error', reject).on('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 130)));
  });
  await sandbox?.close();
});
