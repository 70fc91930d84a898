/**
 * The image of the Dockerfile as a plain folder, without a container daemon: its files by COPY and .dockerignore, and
 * links to the packages that the lock file does not mark as for development. Steps for root or a registry are left out.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const PROJECT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(PROJECT, path), 'utf8');

/** Whether the patterns of .dockerignore leave a path in the build context. The last pattern that matches decides. */
function isInContext(path: string, patterns: readonly string[]): boolean {
  const decides = patterns.findLast((pattern) => {
    const plain = pattern.replace(/^!/u, '');
    const isAboveIncluded = pattern.startsWith('!') && plain.startsWith(`${path}/`);
    return plain === '*' || path === plain || path.startsWith(`${plain}/`) || isAboveIncluded;
  });
  return decides?.startsWith('!') ?? true;
}

interface Image {
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

export interface ImageFolder {
  readonly image: Image;
  /** Temporary folder of the image, and the folder of the application in it. */
  readonly folder: string;
  readonly app: string;
  /** The environment of a container, with folders of the test instead of the image's. */
  env(more: Readonly<Record<string, string>>): Record<string, string>;
  /** Run a command to its end. `out` has both of its outputs. */
  run(command: readonly string[], more: Readonly<Record<string, string>>): { status: number | null; out: string };
  remove(): void;
}

/** Link what `npm install --omit=dev` installs at the top of node_modules, and Node. */
function linkPackages(target: string): void {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  for (const [path, { dev, devOptional }] of Object.entries(packages)) {
    if (path.split('node_modules/').length !== 2 || dev || devOptional || !existsSync(join(PROJECT, path))) continue;
    const link = join(target, path.replace('node_modules/', ''));
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(PROJECT, path), link);
  }
  mkdirSync(join(target, '.bin'));
  symlinkSync(join(PROJECT, 'node_modules/node/bin/node'), join(target, '.bin/node'));
}

export function imageFolder(dataDir: string): ImageFolder {
  const folder = mkdtempSync(join(tmpdir(), 'dealfeed-image-'));
  const app = join(folder, 'app');
  const patterns = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const dockerfile = read('Dockerfile')
    .replaceAll(/^\s*#.*\n/gmu, '')
    .replaceAll(/\\\n\s*/gu, ' ');
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM ') + 1);
  const steps = (name: string): string[] =>
    [...lastStage.matchAll(new RegExp(`^${name} (.*)$`, 'gmu'))].map((match) => (match[1] ?? '').trim());
  const list = (text = '[]'): string[] => JSON.parse(text.slice(text.indexOf('['))) as string[];
  for (const step of steps('COPY')) {
    const words = step.split(/\s+/u);
    const target = join(app, words.at(-1) ?? '');
    if (step.startsWith('--from=packages')) {
      assert.equal(words[1], '/app/node_modules');
      linkPackages(target);
      continue;
    }
    for (const source of words.slice(0, -1)) {
      assert.ok(existsSync(join(PROJECT, source)), `COPY ${source}: no such file`);
      assert.ok(isInContext(source, patterns), `COPY ${source}: .dockerignore leaves it out`);
      cpSync(join(PROJECT, source), words.at(-1) === './' ? join(app, source) : target, {
        recursive: true,
        filter: (path) => isInContext(path.slice(PROJECT.length + 1), patterns),
      });
    }
  }
  const imageEnv = Object.fromEntries(
    [
      ...steps('ENV')
        .join(' ')
        .matchAll(/(\w+)=(\S+)/gu),
    ].map(([, key = '', value = '']) => [key, value]),
  );
  const env: ImageFolder['env'] = (more) => ({
    ...imageEnv,
    PATH: `${join(app, 'node_modules/.bin')}:/usr/bin:/bin`,
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(folder, 'compiled'),
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    ...more,
  });
  return {
    image: {
      command: [...list(steps('ENTRYPOINT')[0]), ...list(steps('CMD')[0])],
      healthCheck: list(steps('HEALTHCHECK')[0]),
    },
    folder,
    app,
    env,
    run([program = '', ...args], more) {
      const { status, stdout, stderr } = spawnSync(program, args, { cwd: app, env: env(more), encoding: 'utf8' });
      return { status, out: stdout + stderr };
    },
    remove() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
