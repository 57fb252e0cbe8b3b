// The previous release, taken from the history of this repository, to run beside the current code.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/** The newest release before the current commit, by its tag or its subject; null where the history does not have it. */
function previousCommit(): string | null {
  try {
    const head = git('rev-parse', 'HEAD');
    const tags = git('tag', '--merged', 'HEAD', '--sort=-version:refname', 'v*').split('\n').filter(Boolean);
    const commits = tags.map((tag) => git('rev-parse', `${tag}^{commit}`));
    const tagged = commits.find((each) => each !== head);
    const released = () => git('log', 'HEAD~', '-1', '--format=%H', '--grep=^chore(release): ');
    return git('rev-parse', '--verify', `${tagged ?? released()}^{commit}`);
  } catch {
    return null;
  }
}

const commit = previousCommit();

export const previous_release_missing =
  commit === null &&
  'the previous release is not installed: the history of this checkout is too short (git fetch --unshallow --tags)';

/**
 * Writes the sources of the previous release to a temporary folder and returns its main.ts. It uses the installed packages of
 * this checkout, except for its own workspaces.
 */
export function previousRelease(t: { after(done: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-previous-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const archive = execFileSync('git', ['archive', commit!, 'package.json', 'packages'], {
    cwd: root,
    maxBuffer: 1024 ** 3,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  linkModules(join(root, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'node_modules/@parley'));
  for (const name of readdirSync(join(folder, 'packages'))) {
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules/@parley', name));
    const own_modules = join(root, 'packages', name, 'node_modules');
    if (existsSync(own_modules)) linkModules(own_modules, join(folder, 'packages', name, 'node_modules'));
  }
  const built_console = join(root, 'packages/console/dist');
  if (existsSync(built_console))
    cpSync(built_console, join(folder, 'packages/console/dist'), { recursive: true });
  return join(folder, 'packages/server/src/main.ts');
}

function linkModules(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name === '@parley' || name.startsWith('.')) continue;
    symlinkSync(join(from, name), join(to, name));
  }
}
