// Installs the packed packages as the image does: from tarballs with `npm ci`, in an empty folder outside of the checkout, once
// for all tests that use them.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '../../packages/server/testing/wait-for.ts';
import { writeImageProject } from '../../scripts/build/image-project.ts';
import { type PackOptions, pack } from '../../scripts/pack.ts';
import { verifierPath } from '../verifiers/load.ts';

const run = promisify(execFile);

/** Everything that is built into a package, and what builds it. */
const inputs = [
  'packages/*/{src,bin,migrations}/**/*',
  'packages/*/{package.json,README.md}',
  'packages/console/{index.html,build.ts,contract-facts.ts}',
  'docs/guides/*',
  'scripts/npm/licenses/*',
  'scripts/{build.ts,pack.ts,third-party-notices.ts,build/*,release/sbom*.ts}',
  '{package.json,package-lock.json,tsconfig.json,LICENSE}',
];

/** The release script tests the tarballs that it will publish; every other run packs its own. */
const givenTarballs = (): string[] =>
  process.env.TEST_TARBALLS ? globSync(join(process.env.TEST_TARBALLS, '*.tgz')) : [];

function hashOfInputs(): string {
  const hash = createHash('sha256');
  const files = inputs
    .flatMap((pattern) => globSync(pattern))
    .filter((path) => !path.includes('.test.') && statSync(path).isFile());
  for (const path of [...files, ...givenTarballs()].sort())
    hash.update(`${path}\0`).update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}

const prefix = `parley-packages-${process.getuid?.() ?? 'user'}-`;

/** The folder with `node_modules`. It is kept for the next run, until a source changes. */
async function install(): Promise<string> {
  const hash = hashOfInputs();
  const folder = join(tmpdir(), prefix + hash);
  const lock = join(tmpdir(), `parley-packing-${hash}.lock`);
  // Test files run at the same time; one of them installs, and the others wait for it.
  await waitFor('another process installs the packages', () => existsSync(folder) || takeLock(lock), {
    timeout_ms: 600_000,
    interval_ms: 100,
  });
  if (existsSync(folder)) return folder;
  try {
    return await installTo(folder);
  } finally {
    rmSync(lock, { force: true });
  }
}

/** False while the process that has the lock lives. */
function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const pid = Number(existsSync(lock) && readFileSync(lock, 'utf8'));
    if (pid > 0 && !isAlive(pid)) rmSync(lock, { force: true });
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Builds and packs the checkout, unless the release script gives its tarballs. */
export function packedTarballs(options: PackOptions = {}): string[] {
  const given = givenTarballs();
  return given.length > 0 ? given : pack(options).map(({ path }) => join(process.cwd(), path));
}

/** Install scripts are not needed, and npm does not run them for everybody. */
export const install_options = [
  '--ignore-scripts',
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
];

/** Runs `npm install` of the tarballs in an empty folder, which becomes a project. */
export async function installTarballs(folder: string, tarballs: readonly string[]): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "private": true }\n');
  await run('npm', ['install', ...install_options, ...tarballs], {
    cwd: folder,
    shell: process.platform === 'win32',
  });
}

async function installTo(folder: string): Promise<string> {
  const packed = packedTarballs({ speech: 'plain' });
  const draft = mkdtempSync(join(tmpdir(), 'parley-installing-'));
  try {
    mkdirSync(join(draft, 'tarballs'));
    const tarballs = packed.map((path) => join(draft, 'tarballs', basename(path)));
    for (const [index, path] of packed.entries()) copyFileSync(path, tarballs[index]!);
    writeImageProject(draft, tarballs);
    await run('npm', ['ci', '--omit=dev', ...install_options], {
      cwd: draft,
      shell: process.platform === 'win32',
    });
    for (const old of globSync(`${prefix}*`, { cwd: tmpdir() }))
      rmSync(join(tmpdir(), old), { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

const unreachable = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED/;

/** `skip` is a reason when no registry can be reached; in CI the test runner fails on it. */
export async function installedPackages(): Promise<{
  folder: string;
  tarballs: string[];
  skip: string | false;
}> {
  try {
    const folder = await install();
    return { folder, tarballs: globSync(join(folder, 'tarballs', '*.tgz')), skip: false };
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    if (!unreachable.test(stderr)) throw error;
    return {
      folder: '',
      tarballs: [],
      skip: 'the packages are not installed: no npm registry can be reached',
    };
  }
}

/** The oldest Node that a package promises to run on; null where it is not installed. */
export const oldestNode = (major: 20 | 22): string | null => verifierPath(`node-${major}/bin/node`);
