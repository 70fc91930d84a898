/**
 * Installs the packages with npm and shows how many are there. Plain JavaScript: it runs before this project's own Node
 * is installed, on whatever Node npm runs on. Its arguments go to npm.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const REDRAW_MS = 200;
// `npm ci` would refuse a lock file without the optional packages of other platforms, which some registries lack.
const NPM = ['install', '--no-save', '--no-progress', '--loglevel=error'];

const args = process.argv.slice(2);
const omitsDev = args.includes('--omit=dev');

/** The C library of a Linux machine. */
const libcHere = process.report?.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';

/** Whether npm installs a package of the lock file on this machine. */
const isWanted = ({ dev = false, os, cpu, libc }) =>
  !(dev && omitsDev) &&
  (os?.includes(process.platform) ?? true) &&
  (cpu?.includes(process.arch) ?? true) &&
  (libc?.includes(libcHere) ?? true);

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const wanted = Object.entries(packages)
  .filter(([folder, about]) => folder !== '' && isWanted(about))
  .map(([folder]) => `${folder}/package.json`);

const startedMs = Date.now();
const seconds = () => `${Math.round((Date.now() - startedMs) / 1000)} s`;

/** Packages take the most time; their scripts, such as the one that unpacks Node, run after the last of them. */
function line() {
  const there = wanted.filter((file) => existsSync(file)).length;
  const doing = there < wanted.length ? `${there} of ${wanted.length}` : `${wanted.length}, running their scripts`;
  return `installing packages: ${doing}, ${seconds()}`;
}

const isTerminal = process.stdout.isTTY === true && process.env.TERM !== 'dumb';
const redraw = () => process.stdout.write(`\r\u001b[K${line()}`);
if (!isTerminal) console.log(`installing ${wanted.length} packages (npm)`);
const timer = isTerminal ? setInterval(redraw, REDRAW_MS) : undefined;

const npm = spawn('npm', [...NPM, ...args], { stdio: ['inherit', 'ignore', 'inherit'] });
npm.on('error', (error) => {
  console.error(`npm did not start: ${error.message}. Install Node with npm, then run this again.`);
  process.exit(1);
});
npm.on('close', (code) => {
  clearInterval(timer);
  if (isTerminal) process.stdout.write('\r\u001b[K');
  if (code === 0) console.log(`installed ${wanted.length} packages in ${seconds()}`);
  else console.error('npm failed. Its message is above: fix the cause and run the command again.');
  process.exitCode = code ?? 1;
});
