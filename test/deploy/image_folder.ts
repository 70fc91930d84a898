/** The image in a plain folder, for tests: its environment, and commands that run in it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage, type Image } from './dockerfile.ts';

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
