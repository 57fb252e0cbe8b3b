// Makes a release:
//
//   npm run release -- 0.2.0               checks, sets the version, folds the change files, builds, tests and lists the artifacts
//   npm run release -- 0.2.0 --dry-run     the same, but leaves the checkout as it is; the artifacts have the current version
//   npm run release -- 0.2.0 --artifacts   only builds the artifacts of a version that is already set; the release workflow does this
//   npm run release -- 0.2.0 --skip pack,tarball-tests,python
//
// The results are in release/<version>. A run that was stopped continues at the step where it stopped.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { productVersion } from '../version.ts';
import { artifact_steps } from './artifacts.ts';
import { ChangelogError } from './changelog.ts';
import { ChangeError } from './changes.ts';
import { git } from './commands.ts';
import { assertOnlyReleaseFilesChanged, prepare_steps } from './prepare.ts';
import { type Release, ReleaseError, readState, runSteps, stateFile, writeState } from './release-run.ts';

const usage =
  'Usage: npm run release -- <version> [--dry-run] [--artifacts] [--skip <step>,<step>]\nSteps: ' +
  [...prepare_steps, ...artifact_steps].map(({ name }) => name).join(', ');

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      artifacts: { type: 'boolean', default: false },
      skip: { type: 'string', default: '' },
    },
  });
  const [version = '', ...rest] = positionals;
  const skipped = values.skip.split(',').filter(Boolean);
  const names = [...prepare_steps, ...artifact_steps].map(({ name }) => name);
  const unknown = skipped.filter((name) => !names.includes(name));
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) || rest.length > 0 || unknown.length > 0)
    throw new ReleaseError(usage);
  if (values['dry-run'] && values.artifacts)
    throw new ReleaseError('--artifacts and --dry-run exclude each other.');
  return { version, skipped, dry_run: values['dry-run'], only_artifacts: values.artifacts };
}

/** SOURCE_DATE_EPOCH is the standard setting for builds that can be repeated with the same result. */
const today = (): string => {
  const { SOURCE_DATE_EPOCH } = process.env;
  return new Date(SOURCE_DATE_EPOCH ? Number(SOURCE_DATE_EPOCH) * 1000 : Date.now())
    .toISOString()
    .slice(0, 10);
};

/** A new release, or the one that a stopped run began. */
function openRelease(version: string, dry_run: boolean): Release {
  const folder = join('release', dry_run ? `${version}-dry-run` : version);
  // A dry run shows the present state, so it never continues an older one.
  if (dry_run) for (const path of [folder, stateFile(folder)]) rmSync(path, { recursive: true, force: true });
  const commit = git('rev-parse', 'HEAD');
  const state = readState(folder);
  if (state && state.commit !== commit)
    throw new ReleaseError(
      `${folder} was begun at another commit (${state.commit.slice(0, 10)}). Delete ${stateFile(folder)} to begin again.`,
    );
  if (state) assertOnlyReleaseFilesChanged();
  const { date } = state ?? { date: today() };
  if (!state) writeState(folder, { date, commit, done: {} });
  return { version, date, commit, folder, dry_run };
}

async function main(): Promise<void> {
  const { version, skipped, dry_run, only_artifacts } = readArguments();
  if (only_artifacts && productVersion() !== version)
    throw new ReleaseError(`package.json has the version ${productVersion()}, not ${version}.`);
  if (only_artifacts) assertOnlyReleaseFilesChanged();
  const release = openRelease(version, dry_run);
  const steps = only_artifacts ? artifact_steps : [...prepare_steps, ...artifact_steps];
  const left_out = await runSteps(steps, release, skipped, console.log);
  console.log(`\n${dry_run ? 'The dry run of' : 'The release'} ${version} is in ${release.folder}.`);
  if (left_out.length > 0) console.log(`It is not complete: ${left_out.join(', ')} was left out.`);
  if (!dry_run && !only_artifacts)
    console.log(
      `Next: git add --all && git commit -m "chore(release): ${version}" && git tag --sign v${version} -m v${version}\n` +
        'Push the commit and the tag. The release workflow builds everything again from the tag and publishes it.',
    );
}

await main().catch((error: Error) => {
  const expected = [ReleaseError, ChangeError, ChangelogError].some((kind) => error instanceof kind);
  const option_error = String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
  console.error(expected ? error.message : option_error ? `${error.message}\n${usage}` : error);
  process.exitCode = 1;
});
