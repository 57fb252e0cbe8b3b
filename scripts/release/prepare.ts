// The first half of a release: checks the checkout and writes version, changelog and generated files into it.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { productVersion, versionedFiles } from '../version.ts';
import { foldRelease, parseChangelog, renderChangelog, unreleased } from './changelog.ts';
import { type Change, changes_folder, parseChange } from './changes.ts';
import { fileInCommit, git, run } from './commands.ts';
import { type Release, ReleaseError, type Step } from './release-run.ts';
import { upgradePage, upgradePagePath } from './upgrade-page.ts';

/** -1, 0 or 1 by the precedence of semantic versions; a version with a suffix comes before the same one without. */
export function compareVersions(a: string, b: string): number {
  const parts = (version: string) => {
    const [numbers = '', ...suffix] = version.split('-');
    return { numbers: numbers.split('.').map(Number), suffix: suffix.join('-') };
  };
  const [left, right] = [parts(a), parts(b)];
  for (const [index, number] of left.numbers.entries())
    if (number !== right.numbers[index]) return Math.sign(number - right.numbers[index]!);
  if (left.suffix === right.suffix) return 0;
  if (left.suffix === '' || right.suffix === '') return left.suffix === '' ? 1 : -1;
  return left.suffix.localeCompare(right.suffix, 'en', { numeric: true }) < 0 ? -1 : 1;
}

const changedFiles = (): string[] =>
  git('status', '--porcelain', '--untracked-files=all').split('\n').filter(Boolean);

function assertNoneChanged(changed: string[]): void {
  if (changed.length > 0)
    throw new ReleaseError(
      `The checkout has changes that are not committed:\n${changed.slice(0, 10).join('\n')}\nCommit or remove them first.`,
    );
}

/** Files that the steps below write. */
const written =
  /^.. (CHANGELOG\.md|\.changes\/.*|docs\/(reference|upgrades)\/.*|package(-lock)?\.json|packages\/[^/]+\/package\.json|packages\/.*\/version\.ts|packages\/(contract\/openapi|mcp\/mcp-tools|cli\/src\/commands)\.json|packages\/sdk\/src\/api\.ts|clients\/python\/.*|docs\/examples\/[^/]+\/(package\.json|requirements\.txt)|deploy\/helm\/Chart\.yaml)$/;

/** A run that continues finds the files that it wrote before; anything else would slip into the release. */
export const assertOnlyReleaseFilesChanged = (): void =>
  assertNoneChanged(changedFiles().filter((line) => !written.test(line)));

function changesInCommit(commit: string): Change[] {
  const paths = git('ls-tree', '--name-only', commit, `${changes_folder}/`).split('\n').filter(Boolean);
  return paths
    .filter((path) => !path.endsWith('/README.md'))
    .map((path) => parseChange(path.slice(changes_folder.length + 1), fileInCommit(commit, path)));
}

const foldedChangelog = ({ version, date, commit }: Release): string =>
  renderChangelog(
    foldRelease(parseChangelog(fileInCommit(commit, 'CHANGELOG.md')), version, date, changesInCommit(commit)),
  );

const partsByHand = (commit: string) =>
  parseChangelog(fileInCommit(commit, 'CHANGELOG.md')).releases.find(({ version }) => version === unreleased)
    ?.parts ?? {};

function check(release: Release): string {
  const { version, commit, dry_run } = release;
  if (!dry_run) assertNoneChanged(changedFiles());
  const current = (JSON.parse(fileInCommit(commit, 'package.json')) as { version: string }).version;
  if (compareVersions(version, current) <= 0)
    throw new ReleaseError(`${version} is not newer than ${current}, the version of package.json.`);
  if (git('tag', '--list', `v${version}`) !== '')
    throw new ReleaseError(`The tag v${version} exists already.`);
  foldedChangelog(release);
  const changed = changedFiles().length;
  return changed === 0
    ? `${current} becomes ${version}; nothing is uncommitted`
    : `${current} would become ${version}; a release would stop here, because ${changed} files are not committed`;
}

function setVersion({ version, dry_run }: Release): string {
  const files = Object.entries(versionedFiles(version)).filter(
    ([path, content]) => readFileSync(path, 'utf8') !== content,
  );
  if (dry_run)
    return `would write ${version} to ${files.length} files: ${files.map(([path]) => path).join(', ')}`;
  run(process.execPath, ['scripts/version.ts', version]);
  if (productVersion() !== version) throw new ReleaseError(`scripts/version.ts did not set ${version}.`);
  return `wrote ${version} to ${files.length} files`;
}

function writeChangelog(release: Release): string {
  const text = foldedChangelog(release);
  const changes = changesInCommit(release.commit);
  const path = release.dry_run ? join(release.folder, 'CHANGELOG.md') : 'CHANGELOG.md';
  mkdirSync(release.folder, { recursive: true });
  writeFileSync(path, text);
  const page = upgradePagePath(release.version);
  if (!release.dry_run) {
    mkdirSync(dirname(page), { recursive: true });
    writeFileSync(page, upgradePage(release.version, changes, partsByHand(release.commit)));
  }
  if (!release.dry_run)
    for (const name of git('ls-tree', '--name-only', release.commit, `${changes_folder}/`).split('\n'))
      if (name !== '' && !name.endsWith('/README.md')) rmSync(name, { force: true });
  return `wrote ${path} and ${page} with ${changes.length} change files`;
}

function generate({ dry_run }: Release): string {
  if (dry_run) return 'would run `npm run generate`';
  run('npm', ['run', '--silent', 'generate']);
  return 'generated files contain the new version';
}

export const prepare_steps: readonly Step[] = [
  { name: 'check', title: 'check the checkout', run: check },
  { name: 'version', title: 'set the version', run: setVersion },
  { name: 'changelog', title: 'fold the change files into CHANGELOG.md', run: writeChangelog },
  { name: 'generate', title: 'rewrite generated files', run: generate },
];
