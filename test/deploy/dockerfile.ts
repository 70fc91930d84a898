/**
 * The steps of the Dockerfile, carried out in a plain folder without a container daemon: COPY from the build context as
 * .dockerignore leaves it, RUN npm install by linking the packages that the lock file does not mark as for development.
 * Steps that need root or a package registry are not carried out; they are returned.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

export interface ImageFolder {
  readonly image: Image;
  /** Temporary folder of the image. */
  readonly folder: string;
  /** Folder of the application in the image. */
  readonly app: string;
  /** The environment of a container, with folders of the test instead of the image's. */
  env(more: Readonly<Record<string, string>>): Record<string, string>;
  /** Run a command to its end. `out` has both of its outputs. */
  run(command: readonly string[], more: Readonly<Record<string, string>>): { status: number | null; out: string };
  remove(): void;
}

export function imageFolder(dataDir: string): ImageFolder {
  const folder = mkdtempSync(join(tmpdir(), 'dealfeed-image-'));
  const image = buildImage(join(folder, 'root'));
  const app = join(image.root, image.workdir);
  const env: ImageFolder['env'] = (more) => ({
    ...image.env,
    PATH: `${join(app, 'node_modules/.bin')}:/usr/bin:/bin`,
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(folder, 'compiled'),
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    ...more,
  });
  return {
    image,
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

export const PROJECT = join(import.meta.dirname, '../..');

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** Instructions of a Dockerfile, with continued lines joined and comments removed. */
export function instructionsOf(dockerfile: string): Instruction[] {
  const joined = dockerfile.replaceAll(/^\s*#.*\n/gmu, '').replaceAll(/\\\n\s*/gu, ' ');
  return joined
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', text = ''] = /^(\S+)\s+(.*)$/u.exec(line) ?? [];
      return { name, text: text.trim() };
    });
}

/** Whether the patterns of .dockerignore leave a path in the build context. The last pattern that matches decides. */
export function isInContext(path: string, patterns: readonly string[]): boolean {
  const decides = patterns.findLast((pattern) => {
    const plain = pattern.replace(/^!/u, '');
    const isAboveIncluded = pattern.startsWith('!') && plain.startsWith(`${path}/`);
    return plain === '*' || path === plain || path.startsWith(`${plain}/`) || isAboveIncluded;
  });
  return decides?.startsWith('!') ?? true;
}

const ignorePatterns = (): string[] =>
  readFileSync(join(PROJECT, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

/** Names of the packages that `npm install --omit=dev` installs at the top of node_modules. */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path.split('node_modules/').length === 2 && !dev && !devOptional)
    .map(([path]) => path.replace('node_modules/', ''));
}

function linkPackages(target: string): void {
  const installed = join(PROJECT, 'node_modules');
  for (const name of productionPackages().filter((n) => existsSync(join(installed, n)))) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    symlinkSync(join(installed, name), join(target, name));
  }
  mkdirSync(join(target, '.bin'));
  // A file of its own: the Dockerfile touches it.
  const node = `#!/bin/sh\nexec '${join(installed, 'node/bin/node')}' "$@"\n`;
  writeFileSync(join(target, '.bin', 'node'), node, { mode: 0o755 });
}

function touch(path: string): void {
  writeFileSync(path, '', { flag: 'a' });
  utimesSync(path, new Date(), new Date());
}

interface Image {
  /** The image's root file system. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly user: string;
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  /** RUN instructions that were not carried out. */
  readonly notRun: readonly string[];
}

const parsedList = (text: string): string[] => JSON.parse(text) as string[];

/** Carry out the last stage in an empty folder. */
function buildImage(root: string): Image {
  const instructions = instructionsOf(readFileSync(join(PROJECT, 'Dockerfile'), 'utf8'));
  const last = instructions.findLastIndex(({ name }) => name === 'FROM');
  const patterns = ignorePatterns();
  const env: Record<string, string> = {};
  const notRun: string[] = [];
  let [workdir, user, entry, command, healthCheck] = ['/', 'root', [] as string[], [] as string[], [] as string[]];

  const copy = (text: string): void => {
    const words = text.split(/\s+/u);
    const target = join(root, workdir, words.at(-1) ?? '');
    if (words[0]?.startsWith('--from=packages')) {
      assert.equal(words[1], '/app/node_modules');
      linkPackages(target);
      return;
    }
    const sources = words.slice(0, -1);
    for (const source of sources) {
      assert.ok(existsSync(join(PROJECT, source)), `COPY ${source}: no such file`);
      assert.ok(isInContext(source, patterns), `COPY ${source}: .dockerignore leaves it out`);
      const isFolder = statSync(join(PROJECT, source)).isDirectory();
      cpSync(join(PROJECT, source), isFolder ? target : join(target, basename(source)), {
        recursive: true,
        filter: (path) => isInContext(path.slice(PROJECT.length + 1), patterns),
      });
    }
  };

  for (const { name, text } of instructions.slice(last + 1)) {
    if (name === 'WORKDIR') {
      workdir = text;
      mkdirSync(join(root, workdir), { recursive: true });
    } else if (name === 'COPY') copy(text);
    else if (name === 'RUN' && text.startsWith('touch '))
      for (const file of text.split(/\s+/u).slice(1)) touch(join(root, workdir, file));
    else if (name === 'RUN') notRun.push(text);
    else if (name === 'ENV') for (const [, key = '', value = ''] of text.matchAll(/(\w+)=(\S+)/gu)) env[key] = value;
    else if (name === 'USER') user = text;
    else if (name === 'ENTRYPOINT') entry = parsedList(text);
    else if (name === 'CMD') command = parsedList(text);
    else if (name === 'HEALTHCHECK') healthCheck = parsedList(text.slice(text.indexOf('CMD') + 3));
    else assert.ok(['ARG', 'VOLUME', 'EXPOSE', 'STOPSIGNAL'].includes(name), `${name} is not carried out here`);
  }
  return { root, env, workdir, user, command: [...entry, ...command], healthCheck, notRun };
}

/** Files of an image's program, relative to its folder, without packages. */
export function filesOf({ root, workdir }: Image): string[] {
  const folder = join(root, workdir);
  const names = readdirSync(folder).filter((name) => name !== 'node_modules');
  return names.flatMap((name) => {
    if (!statSync(join(folder, name)).isDirectory()) return [name];
    const entries = readdirSync(join(folder, name), { recursive: true, withFileTypes: true });
    return entries.filter((e) => e.isFile()).map((e) => join(e.parentPath, e.name).slice(folder.length + 1));
  });
}
